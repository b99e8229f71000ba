from __future__ import annotations

import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509

from medveil.errors import InputError, SettingsError, StorageError
from medveil.federated.credentials import (
    authority_pem,
    make_identity,
    make_node_key,
    read_identity,
    read_node_key,
)
from medveil.federated.node_keys import pem_of, public_line, public_pem


def test_a_node_key_is_private_and_its_line_is_its_public_half(tmp_path: Path) -> None:
    line = make_node_key(tmp_path / "site")
    key = read_node_key(tmp_path / "site")
    assert public_line(key) == line and pem_of(line) == public_pem(key)
    path = tmp_path / "site" / "node.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with pytest.raises(SettingsError, match="already holds"):
        make_node_key(tmp_path / "site")
    path.chmod(0o644)
    with pytest.raises(InputError, match="read by others"):
        read_node_key(tmp_path / "site")
    with pytest.raises(InputError, match="no node key"):
        read_node_key(tmp_path / "elsewhere")


def test_the_certificate_is_good_for_its_hosts_under_its_authority_alone(tmp_path: Path) -> None:
    line = make_identity(tmp_path, ["fed.example.org", "10.0.0.1"])
    found = read_identity(tmp_path, "FED.example.org")
    assert found.authority == line
    certificate = x509.load_pem_x509_certificate(found.certificate.read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["fed.example.org"]
    assert [str(one) for one in names.get_values_for_type(x509.IPAddress)] == ["10.0.0.1"]
    certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(authority_pem(line)))
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(found.certificate, found.key)
    for path in tmp_path.glob("*.key"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(SettingsError, match="already holds"):
        make_identity(tmp_path, ["fed.example.org"])
    with pytest.raises(SettingsError, match="needs the name"):
        make_identity(tmp_path / "other", [])
    for strange in ("", "fed example", "fed.exämple.org"):
        with pytest.raises(SettingsError, match="neither a host's name"):
            make_identity(tmp_path / "other", [strange])


def test_a_certificate_that_sites_would_refuse_is_refused_at_once(tmp_path: Path) -> None:
    make_identity(tmp_path, ["10.0.0.1"])
    assert read_identity(tmp_path, "10.0.0.1")
    with pytest.raises(SettingsError, match=r"is not for 10\.0\.0\.2"):
        read_identity(tmp_path, "10.0.0.2")
    make_identity(tmp_path / "other", ["10.0.0.1"])
    (tmp_path / "other" / "coordinator.key").replace(tmp_path / "coordinator.key")
    for folder in (tmp_path, tmp_path / "other"):  # one with another's key, one without any
        with pytest.raises(InputError, match="cannot be read or is another's"):
            read_identity(folder, "10.0.0.1")


def test_a_file_where_the_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="is a file"):
        make_node_key(tmp_path / "file")
