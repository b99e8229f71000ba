"""Keys of nodes: which site it is, and that it has approved what it sends. The private one never leaves its site."""

from __future__ import annotations

from base64 import b64decode, b64encode

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from medveil.errors import SettingsError

CURVE = ec.SECP384R1()  # what Flower's node authentication takes


def public_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def public_line(key: ec.EllipticCurvePrivateKey) -> str:
    """The public key as a plan tells it: one line of text."""
    told = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return b64encode(told).decode()


def pem_of(line: str) -> bytes:
    """The same key in PEM."""
    try:
        key = serialization.load_der_public_key(b64decode(line, validate=True))
    except ValueError:
        key = None
    if not isinstance(key, ec.EllipticCurvePublicKey) or key.curve.name != CURVE.name:
        raise SettingsError("a site's key is one line of letters, as `medveil federated keys` prints it")
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
