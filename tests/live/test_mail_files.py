"""The files for other mail programs in deploy/, each tried by the program that it is for."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers.postfix import RECEIVER, Postfix, program
from tests.servers.shipped import DEPLOY, shipped

pytestmark = pytest.mark.live


def said(*command: str | Path, good: bool = True) -> str:
    """What a program says, which is content or, where that is expected, is not."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == good, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_postfix_finds_no_fault_with_all_its_lines() -> None:
    main = shipped("postfix/main.cf") + shipped("postfix/milter.cf")
    postfix = Postfix(main, shipped("postfix/master.cf"))
    try:
        postfix.check()
        lines = said(program("postconf"), "-c", postfix.folder, "-n")
    finally:
        shutil.rmtree(postfix.folder)
    assert "relay_domains = nomic.example" in lines
    assert "milter_default_action = tempfail" in lines


@pytest.mark.parametrize("fault", ["relay_domain = x", "recipient_delimiter = -", "mynetworks = 127.0.0.0/8"])
def test_a_line_that_postfix_does_not_know_or_has_twice_is_found(fault: str) -> None:
    postfix = Postfix(f"{shipped('postfix/main.cf')}\n{fault}\n", shipped("postfix/master.cf"))
    try:
        with pytest.raises(AssertionError, match=r"unused parameter|overriding earlier"):
            postfix.check()
    finally:
        shutil.rmtree(postfix.folder)


def test_dovecot_finds_no_fault(tmp_path: Path) -> None:
    lines = said(program("doveconf"), "-n", "-c", DEPLOY / "dovecot/nomic.conf")
    assert "recipient_delimiter = +" in lines or "recipient_delimiter" not in lines, "+ is what is usual"
    assert "/etc/dovecot/nomic.users" in lines

    bad = tmp_path / "bad.conf"
    bad.write_text(shipped("dovecot/nomic.conf", {"recipient_delimiter": "recipient_limiter"}))
    assert "Unknown setting: recipient_limiter" in said(program("doveconf"), "-n", "-c", bad, good=False)


def test_rspamd_does_what_its_files_say(tmp_path: Path) -> None:
    local = tmp_path / "local.d"
    shutil.copytree(DEPLOY / "rspamd", local)
    rspamadm = (program("rspamadm"), f"--var=LOCAL_CONFDIR={tmp_path}")

    assert "syntax OK" in said(*rspamadm, "configtest")
    assert re.search(r'use \[\s*"authentication-results"', said(*rspamadm, "configdump", "milter_headers"))
    signing = said(*rspamadm, "configdump", "dkim_signing")
    (ours,) = re.findall(r"nomic\.example \{([^}]*)\}", signing)
    assert {'selector = "nomic";', 'path = "/var/lib/rspamd/dkim/nomic.key";'} == set(
        ours.strip().split("\n        ")
    )
    assert "use_esld = false" in signing

    (local / "dkim_signing.conf").write_text("domain {")
    said(*rspamadm, "configtest", good=False)


def test_opendmarc_finds_no_fault_and_calls_itself_what_pbem_believes(tmp_path: Path) -> None:
    said(program("opendmarc"), "-n", "-c", DEPLOY / "opendmarc/opendmarc.conf")
    for name in ("AuthservID", "TrustedAuthservIDs"):
        assert f"\n{name} {RECEIVER}\n" in shipped("opendmarc/opendmarc.conf")
    assert f'trusted_receivers = ["{RECEIVER}"]' in shipped("one-box/pbem.toml")

    bad = tmp_path / "bad.conf"
    bad.write_text(shipped("opendmarc/opendmarc.conf", {"AuthservID": "AuthservNone"}))
    assert "unrecognized" in said(program("opendmarc"), "-n", "-c", bad, good=False)
