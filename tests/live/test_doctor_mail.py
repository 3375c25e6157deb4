"""`pbem doctor` tries each login at real mail servers, with TLS, and says what to change."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.certificate import make_certificate
from tests.servers.dovecot import PASSWORD, Dovecot
from tests.servers.running import PBEM, Running, environment, pbem
from tests.servers.smarthost import SmartHost

pytestmark = pytest.mark.live

HEAD = '[mail]\naddress = "nomic@nomic.example"\n'


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def dovecot(certificate: tuple[Path, Path]) -> Iterator[Dovecot]:
    with Dovecot(*certificate) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A host without mail, and a file with the password."""
    (tmp_path / "pbem.toml").write_text(HEAD)
    pbem(tmp_path, "list")
    (tmp_path / "password").write_text(PASSWORD + "\n")
    (tmp_path / "password").chmod(0o600)
    return tmp_path


def doctor(folder: Path, *settings: str, believed: Path | None = None) -> dict[str, dict[str, Any]]:
    """What was found with these settings, by what was looked at; the exit code says whether something is wanting."""
    (folder / "pbem.toml").write_text(HEAD + "".join(settings))
    around = environment() | ({"SSL_CERT_FILE": str(believed)} if believed else {})
    ran = subprocess.run(
        [*PBEM, "doctor", "--json"], cwd=folder, env=around, capture_output=True, text=True, check=False
    )
    found = json.loads(ran.stdout)
    assert PASSWORD not in ran.stdout + ran.stderr
    assert ran.returncode == any(each["state"] == "wanting" for each in found["findings"])
    return {each["what"]: each for each in found["findings"]}


def imap(port: int, tls: str = "starttls", **more: str) -> str:
    said = {"host": "localhost", "user": "nomic", "password_file": "password", "tls": tls} | more
    return f"[[intake.imap]]\nport = {port}\n" + "".join(
        f'{name} = "{value}"\n' for name, value in said.items()
    )


def smtp(host: SmartHost, tls: str = "none") -> str:
    return (
        f'[delivery.smtp]\nhost = "localhost"\nport = {host.port}\ntls = "{tls}"\n'
        'user = "nomic"\npassword_file = "password"\n'
    )


BOX = "imap nomic@localhost"


def test_both_logins_with_tls_are_well(
    folder: Path, dovecot: Dovecot, certificate: tuple[Path, Path]
) -> None:
    with SmartHost(login=("nomic", PASSWORD), certificate=certificate) as smarthost:
        settings = (imap(dovecot.port), smtp(smarthost, "starttls"))
        found = doctor(folder, *settings, believed=certificate[0])

    assert found[BOX]["state"] == "ok"
    assert found[BOX]["says"] == "logged in with STARTTLS; 0 mail(s) in INBOX"
    assert found["smtp localhost"]["says"] == "it lets us in as nomic, with STARTTLS"
    assert "smart host" in found["dkim"]["says"]
    assert smarthost.taken == []


def test_a_certificate_that_nobody_knows_is_found(
    folder: Path, dovecot: Dovecot, certificate: tuple[Path, Path]
) -> None:
    with SmartHost(login=("nomic", PASSWORD), certificate=certificate) as smarthost:
        found = doctor(folder, imap(dovecot.port), smtp(smarthost, "starttls"))
    for what in (BOX, "smtp localhost"):
        assert found[what]["state"] == "wanting"
        assert "certificate verify failed" in found[what]["says"]
        assert "tls" in found[what]["cure"]


def test_a_wrong_password_is_found_and_never_shown(folder: Path, dovecot: Dovecot) -> None:
    (folder / "password").write_text("hemligt-och-fel")
    with SmartHost(login=("nomic", PASSWORD)) as smarthost:
        found = doctor(folder, imap(dovecot.port, "none"), smtp(smarthost))
    assert "the login was refused" in found[BOX]["says"]
    assert "password_file" in found[BOX]["cure"]
    assert "535" in found["smtp localhost"]["says"]
    assert "hemligt-och-fel" not in str(found)


@pytest.mark.parametrize(("content", "mode", "says"), [("", 0o600, "is empty"), (PASSWORD, 0o644, "others")])
def test_a_password_that_is_empty_or_no_secret_is_found(
    folder: Path, dovecot: Dovecot, content: str, mode: int, says: str
) -> None:
    (folder / "password").write_text(content)
    (folder / "password").chmod(mode)
    found = doctor(folder, imap(dovecot.port, "none"))
    assert found[BOX]["state"] == "wanting"
    assert says in found[BOX]["says"]


def test_a_token_to_send_with_is_looked_at_as_a_password_is(folder: Path) -> None:
    (folder / "token").touch(0o600)
    way = '[delivery.smtp]\nhost = "localhost"\nport = 1\nuser = "nomic"\noauth2 = "token"\n'
    found = doctor(folder, way)["smtp localhost"]
    assert (found["state"], "is empty" in found["says"]) == ("wanting", True)
    assert "token" in found["cure"]


def test_a_password_that_is_not_there_is_a_fault_of_the_settings(folder: Path, dovecot: Dovecot) -> None:
    (folder / "password").unlink()
    found = doctor(folder, imap(dovecot.port, "none"))
    assert list(found) == ["settings"]
    assert "password" in found["settings"]["says"]


def test_a_folder_that_is_not_there_is_found(folder: Path, dovecot: Dovecot) -> None:
    found = doctor(folder, imap(dovecot.port, "none", folder="Nomic"))
    assert found[BOX]["state"] == "wanting"
    assert "Nomic cannot be opened" in found[BOX]["says"]


def test_a_server_that_is_away_is_found(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    away = f'[delivery.smtp]\nhost = "localhost"\nport = {port}\n'
    found = doctor(folder, imap(port, "none"), away)
    assert "cannot be reached" in found[BOX]["says"]
    assert found["smtp localhost"]["state"] == "wanting"


def test_a_password_in_clear_over_the_network_is_found_before_it_is_sent(folder: Path) -> None:
    found = doctor(folder, imap(143, "none", host="imap.nomic.example"))
    assert "in clear" in found["imap nomic@imap.nomic.example"]["says"]


def test_our_own_listener_may_be_at_its_port(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    listening = f"[intake.smtp]\nport = {port}\n"
    assert doctor(folder, listening)[f"smtp port {port}"]["says"] == "it is free for pbem"
    with Running(folder, "serve").start():
        found = doctor(folder, listening)[f"smtp port {port}"]
    assert found["state"] == "ok"
    assert "220 nomic.example" in found["says"]
