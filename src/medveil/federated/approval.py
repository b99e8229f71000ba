"""A site's consent to a plan, signed with its node key. Under any other plan, even one letter away, it does nothing."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from medveil.errors import InputError, SettingsError
from medveil.federated.credentials import read_node_key
from medveil.federated.node_keys import public_line
from medveil.federated.plan import Plan
from medveil.runtime.storage import write_bytes

FORMAT = "medveil.approval/1"
FILE = "approval.json"
_HOW = ec.ECDSA(hashes.SHA384())


@dataclass(frozen=True)
class Approval:
    """`plan` is the digest of what was approved."""

    site: str
    plan: str
    when: str
    signature: str

    def holds(self, plan: Plan) -> bool:
        """Whether the site, by the key that the plan names, has approved this very plan."""
        if self.plan != plan.digest or self.site not in plan.sites:
            return False
        key = serialization.load_pem_public_key(plan.node_keys[self.site])
        assert isinstance(key, ec.EllipticCurvePublicKey)
        try:
            key.verify(bytes.fromhex(self.signature), _statement(self.site, self.plan, self.when), _HOW)
        except (InvalidSignature, ValueError):
            return False
        return True


def approve(plan: Plan, node_key: ec.EllipticCurvePrivateKey) -> Approval:
    site = plan.site_of(public_line(node_key))
    when = datetime.now(UTC).isoformat(timespec="seconds")
    signature = node_key.sign(_statement(site, plan.digest, when), _HOW)
    return Approval(site, plan.digest, when, signature.hex())


def write_approval(folder: Path, approval: Approval) -> None:
    text = json.dumps({"format": FORMAT, **asdict(approval)}, indent=1)
    write_bytes(folder / FILE, (text + "\n").encode(), private=True)


def read_approval(folder: Path, plan: Plan) -> Approval:
    """The approval of this plan by the site whose key is in the same folder, or a plain refusal."""
    try:
        held = json.loads((folder / FILE).read_text())
        if held.pop("format") != FORMAT:
            raise ValueError
        approval = Approval(**held)
    except FileNotFoundError:
        raise SettingsError(
            "this site has approved no plan yet; read it and approve it with `medveil federated approve`"
        ) from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise InputError(f"{folder / FILE} is not a readable approval; approve the plan again") from None
    if approval.plan != plan.digest:
        raise SettingsError(
            f"this site has approved plan {approval.plan[:12]}, not this one ({plan.digest[:12]}); it does nothing"
            " under a plan that it has not approved"
        )
    if not approval.holds(plan) or approval.site != plan.site_of(public_line(read_node_key(folder))):
        raise SettingsError("the approval was not signed by this site's node key; approve the plan again")
    return approval


def _statement(site: str, digest: str, when: str) -> bytes:
    return json.dumps(["medveil approval", site, digest, when]).encode()
