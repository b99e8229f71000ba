"""What a site and a coordinator need to know each other: a node key for each site, a certificate for the coordinator.

A node key is made at its site and stays there; only its public line goes into the plan. The coordinator's certificate
is signed by an authority of its own, made with it, which the plan names too: a site that approves the plan needs no
other trust.
"""

from __future__ import annotations

import ipaddress
import os
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from medveil.errors import InputError, SettingsError
from medveil.federated.node_keys import CURVE, public_line
from medveil.runtime.storage import make_folder, write_bytes

NODE_KEY = "node.key"
_AUTHORITY, _AUTHORITY_KEY = "authority.pem", "authority.key"
_CERTIFICATE, _CERTIFICATE_KEY = "coordinator.pem", "coordinator.key"
_AUTHORITY_DAYS, _CERTIFICATE_DAYS = 3650, 730


@dataclass(frozen=True)
class Identity:
    """The coordinator's files, and its authority as a plan tells it."""

    certificate: Path
    key: Path
    authority: str


def make_node_key(folder: Path) -> str:
    """A new key of a site, for its owner's eyes only; returns the line for the plan."""
    path = folder / NODE_KEY
    _refuse_second(path, "a node key; approvals and the plan rest on it")
    key = ec.generate_private_key(CURVE)
    make_folder(folder, private=True)
    write_bytes(path, _pem(key), private=True)
    return public_line(key)


def node_line(folder: Path) -> str:
    """The line for the plan of a site's key, which is made unless it is there."""
    return public_line(read_node_key(folder)) if (folder / NODE_KEY).exists() else make_node_key(folder)


def authority_line(folder: Path, hosts: Sequence[str]) -> str:
    """The line for the plan of a coordinator's authority, which is made unless it is there for these hosts."""
    if not (folder / _AUTHORITY).exists():
        return make_identity(folder, hosts)
    return read_identity(folder, *hosts).authority


def read_node_key(folder: Path) -> ec.EllipticCurvePrivateKey:
    path = folder / NODE_KEY
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), None)
    except FileNotFoundError:
        raise InputError(f"there is no node key in {folder}; make one with `medveil federated keys {folder}`") from None
    except (OSError, ValueError, TypeError):
        raise InputError(f"{path} is not a readable node key; restore it from a copy") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise InputError(f"{path} is not a node key that medveil made")
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise InputError(f"{path} can be read by others on this machine; run `chmod 600` on it first")
    return key


def make_identity(folder: Path, hosts: Sequence[str]) -> str:
    """An authority and a certificate for these names or addresses; returns the authority's line for the plan."""
    _refuse_second(folder / _AUTHORITY, "an authority; sites have approved it")
    if not hosts:
        raise SettingsError("a certificate needs the name or the address under which sites reach the coordinator")
    authority_key, key = ec.generate_private_key(CURVE), ec.generate_private_key(CURVE)
    name = _name("medveil federation")
    usage = dict.fromkeys(
        ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only"), False
    )
    authority = (
        _builder(name, name, authority_key, _AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.KeyUsage(digital_signature=False, key_cert_sign=True, crl_sign=True, decipher_only=False, **usage),
            critical=True,
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA384())
    )
    certificate = (
        _builder(_name("medveil coordinator"), name, key, _CERTIFICATE_DAYS)
        .add_extension(x509.SubjectAlternativeName([_host(one) for one in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.KeyUsage(digital_signature=True, key_cert_sign=False, crl_sign=False, decipher_only=False, **usage),
            critical=True,
        )
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA384())
    )
    make_folder(folder, private=True)
    write_bytes(folder / _AUTHORITY_KEY, _pem(authority_key), private=True)
    write_bytes(folder / _CERTIFICATE_KEY, _pem(key), private=True)
    write_bytes(folder / _CERTIFICATE, certificate.public_bytes(serialization.Encoding.PEM))
    write_bytes(folder / _AUTHORITY, authority.public_bytes(serialization.Encoding.PEM))  # last: all is there
    return _line(authority)


def read_identity(folder: Path, *hosts: str) -> Identity:
    """Refused where sites would refuse it, who call the coordinator by these names."""
    try:
        authority = x509.load_pem_x509_certificate((folder / _AUTHORITY).read_bytes())
    except (OSError, ValueError):
        raise InputError(
            f"there is no coordinator's certificate in {folder}; make one with `medveil federated keys {folder} --host "
            "NAME`"
        ) from None
    try:
        certificate = x509.load_pem_x509_certificate((folder / _CERTIFICATE).read_bytes())
        key = serialization.load_pem_private_key((folder / _CERTIFICATE_KEY).read_bytes(), None)
        certificate.verify_directly_issued_by(authority)
        if key.public_key() != certificate.public_key():
            raise ValueError
    except (OSError, ValueError, TypeError, InvalidSignature):
        raise InputError(
            f"the coordinator's certificate in {folder}, or its key, cannot be read or is another's; restore both from"
            " a copy"
        ) from None
    if datetime.now(UTC) > certificate.not_valid_after_utc:
        raise InputError(f"the coordinator's certificate in {folder} has expired; sites need a plan with a new one")
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    for host in hosts:
        if _host(host) not in list(names):
            raise SettingsError(
                f"the certificate in {folder} is not for {host}; make one in another folder with `medveil federated"
                f" keys FOLDER --host {host}`"
            )
    return Identity(folder / _CERTIFICATE, folder / _CERTIFICATE_KEY, _line(authority))


def authority_pem(line: str) -> bytes:
    """An authority as it stands in a plan, in PEM."""
    try:
        found = x509.load_der_x509_certificate(b64decode(line, validate=True))
    except ValueError:
        raise SettingsError("the authority is one line of letters, as `medveil federated keys` prints it") from None
    return found.public_bytes(serialization.Encoding.PEM)


def _line(authority: x509.Certificate) -> str:
    return b64encode(authority.public_bytes(serialization.Encoding.DER)).decode()


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
) -> x509.CertificateBuilder:
    today = datetime.now(UTC).replace(microsecond=0)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))  # clocks differ
        .not_valid_after(today + timedelta(days=days))
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _host(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        pass
    try:
        if not text or any(letter.isspace() for letter in text):
            raise ValueError
        return x509.DNSName(text.lower())
    except ValueError:
        raise SettingsError(f"{text!r} is neither a host's name nor an address") from None


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _refuse_second(path: Path, what: str) -> None:
    if path.exists():
        raise SettingsError(f"{path.parent} already holds {what}; name another folder for a new one")
