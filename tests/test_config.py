"""A host writes pbem.toml, or gets it wrong, and is told everything at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.config import (
    SAMPLE,
    Config,
    ConfigError,
    MaildirDelivery,
    MaildirIntake,
    SmtpDelivery,
    SmtpIntake,
    load,
)

LEAST = '[mail]\naddress = "nomic@nomic.example"\n'


def configured(folder: Path, text: str, **environment: str) -> Config:
    file = folder / "pbem.toml"
    file.write_text(text, "utf-8")
    return load(file, environment)


def faults(folder: Path, text: str, **environment: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        configured(folder, text, **environment)
    return caught.value.faults


def test_an_address_is_all_that_a_host_must_set(tmp_path: Path) -> None:
    config = configured(tmp_path, LEAST)
    assert config.mail.addresses == ("nomic@nomic.example",)
    assert config.mail.domain == "nomic.example"
    assert config.database == f"sqlite:///{tmp_path}/pbem.db"
    assert config.zone == "UTC"
    assert config.site.folder == tmp_path / "site"
    assert config.delivery == MaildirDelivery(tmp_path / "mail")
    assert (config.intake.smtp, config.intake.imap, config.intake.maildir) == (None, (), None)
    assert config.identity.believe_from is False
    assert config.limits.mail_taken == 1_000_000
    assert config.limits.mail_read == 262_144


def test_every_section_is_read(tmp_path: Path) -> None:
    (tmp_path / "imap-password").write_text("hemligt\n")
    (tmp_path / "token").write_text("abc")
    (tmp_path / "smtp-password").write_text("tyst")
    config = configured(
        tmp_path,
        """
        database = "postgresql://pbem@db.example/pbem"
        zone = "Europe/Stockholm"
        [mail]
        address = "Nomic@Nomic.example"
        other_addresses = ["vote@nomic.example", "Bounce@nomic.example"]
        name = "Kaffespelet"
        [identity]
        trusted_receivers = ["mx.nomic.example"]
        believe_from = true
        strict_games = ["kaffe"]
        key = "/etc/pbem/key"
        [site]
        folder = "/srv/nomic"
        url = "https://nomic.example"
        [intake.smtp]
        host = "0.0.0.0"
        port = 0
        protocol = "lmtp"
        hostname = "mx.nomic.example"
        [[intake.imap]]
        host = "imap.example"
        user = "nomic"
        password_file = "imap-password"
        processed = "Done"
        [[intake.imap]]
        host = "127.0.0.1"
        port = 1143
        user = "second"
        oauth2 = "token"
        folder = "Game"
        poll = 60
        [intake.maildir]
        folder = "Maildir"
        [delivery.smtp]
        host = "smtp.example"
        user = "nomic"
        password_file = "smtp-password"
        [limits]
        commands = 20
        """,
    )
    assert config.database == "postgresql://pbem@db.example/pbem"
    assert config.zone == "Europe/Stockholm"
    assert config.mail.addresses == ("nomic@nomic.example", "vote@nomic.example", "bounce@nomic.example")
    assert config.mail.name == "Kaffespelet"
    assert config.identity.trusted_receivers == ("mx.nomic.example",)
    assert config.identity.believe_from is True
    assert (config.identity.is_strict("kaffe"), config.identity.is_strict("te")) == (True, False)
    assert config.identity.key == Path("/etc/pbem/key")
    assert config.site.folder == Path("/srv/nomic")
    assert config.site.url == "https://nomic.example/"
    assert config.intake.smtp == SmtpIntake("0.0.0.0", 0, "lmtp", "mx.nomic.example")  # noqa: S104
    assert config.intake.maildir == MaildirIntake(tmp_path / "Maildir")
    first, second = config.intake.imap
    assert first.password_file is not None
    assert (first.port, first.folder, first.processed, first.poll) == (993, "INBOX", "Done", 300)
    assert first.password_file.reveal() == "hemligt"
    assert second.oauth2 is not None
    assert (second.port, second.folder, second.processed, second.poll) == (1143, "Game", None, 60)
    assert second.oauth2.reveal() == "abc"
    assert isinstance(config.delivery, SmtpDelivery)
    assert (config.delivery.host, config.delivery.port, config.delivery.user) == (
        "smtp.example",
        587,
        "nomic",
    )
    assert config.limits.commands == 20
    assert config.limits.parts == 50


@pytest.mark.parametrize(
    ("host", "port", "tls", "encryption"),
    [
        ("imap.example", 993, '"auto"', "tls"),
        ("imap.example", 143, '"auto"', "starttls"),
        ("127.0.0.1", 143, '"auto"', "none"),
        ("127.0.0.1", 143, '"starttls"', "starttls"),
        ("imap.example", 143, '"none"', "none"),
        ("imap.example", 993, "true", "tls"),
        ("imap.example", 993, "false", "none"),
    ],
)
def test_a_connection_is_encrypted_unless_it_stays_on_this_machine(
    tmp_path: Path, host: str, port: int, tls: str, encryption: str
) -> None:
    (tmp_path / "p").write_text("p")
    account = (
        f'[[intake.imap]]\nhost = "{host}"\nport = {port}\ntls = {tls}\nuser = "u"\npassword_file = "p"\n'
    )
    config = configured(tmp_path, LEAST + account)
    assert config.intake.imap[0].encryption == encryption


def test_all_faults_are_told_at_once_each_with_its_line(tmp_path: Path) -> None:
    text = """databse = "sqlite:///x.db"
zone = "Europe/Stockholmm"
[mail]
adress = "nomic@nomic.example"
[intake.smpt]
port = 25
[[intake.imap]]
host = "imap.example"
port = "993"
[[intake.imap]]
user = "u"
[intake.smtp]
protocol = "uucp"
[delivery.smtp]
host = "smtp.example"
user = "u"
[delivery.maildir]
[limits]
parts = 0
"""
    assert faults(tmp_path, text) == (
        "pbem.toml line 1: databse: did you mean database?",
        "pbem.toml line 2: zone: there is no zone 'Europe/Stockholmm'; did you mean Europe/Stockholm?",
        "pbem.toml line 3: [mail] address: is missing",
        "pbem.toml line 4: [mail] adress: did you mean address?",
        "pbem.toml line 5: [intake.smpt]: did you mean intake.smtp?",
        "pbem.toml line 7: [intake.imap] user: is missing",
        "pbem.toml line 7: [intake.imap]: needs either password_file or oauth2",
        "pbem.toml line 9: [intake.imap] port: must be a whole number from 1 to 65535, not '993'",
        "pbem.toml line 10: [intake.imap] host: is missing",
        "pbem.toml line 10: [intake.imap]: needs either password_file or oauth2",
        "pbem.toml line 13: [intake.smtp] protocol: must be one of smtp, lmtp, not 'uucp'",
        "pbem.toml line 14: [delivery.smtp]: user goes together with either password_file or oauth2",
        "pbem.toml line 17: [delivery.maildir]: mail goes out one way only: "
        "leave out this section or [delivery.smtp]",
        "pbem.toml line 19: [limits] parts: must be a whole number from 1 to 1000, not 0",
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('[mail]\naddress = "nomic"', "[mail] address: must be a mail address, not 'nomic'"),
        ('[mail]\naddress = ""', "[mail] address: must be a text"),
        (LEAST + 'other_addresses = "vote@nomic.example"', "other_addresses: must be a list"),
        (LEAST + "[site]\nurl = 'nomic.example'", "url: must begin with https:// or http://"),
        (LEAST + "[identity]\nbelieve_from = 'no'", "believe_from: must be true or false"),
        (LEAST + "[limits]\nparts = true", "parts: must be a whole number"),
        (
            LEAST + "[delivery.smtp]\nhost='h'\nuser='u'\npassword_file='gone'",
            "password_file: there is no file",
        ),
        ("database = 'mysql://x'\n" + LEAST, "database: must begin with sqlite:/// or postgresql://"),
        (LEAST + "[intake]\nhost = 'h'", "[intake] host: is not a setting"),
        (LEAST + "colour", "pbem.toml: Expected '='"),
    ],
)
def test_a_bad_value_is_named(tmp_path: Path, line: str, why: str) -> None:
    (fault,) = faults(tmp_path, line)
    assert why in fault


def test_a_missing_file_is_one_sentence_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"pbem\.toml cannot be read .*`pbem init` writes one"):
        load(tmp_path / "pbem.toml", {})


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    config = configured(
        tmp_path,
        LEAST + "[intake.smtp]\nport = 25\n",
        PBEM_DATABASE="postgresql://elsewhere.example/pbem",
        PBEM_MAIL__ADDRESS="other@nomic.example",
        PBEM_MAIL__NAME="1984",
        PBEM_MAIL__OTHER_ADDRESSES='["vote@nomic.example"]',
        PBEM_IDENTITY__BELIEVE_FROM="true",
        PBEM_INTAKE__SMTP__PORT="2525",
        PBEM_CONFIG="pbem.toml",
        HOME="/nowhere",
    )
    assert config.database == "postgresql://elsewhere.example/pbem"
    assert config.mail.addresses == ("other@nomic.example", "vote@nomic.example")
    assert config.mail.name == "1984"
    assert config.identity.believe_from is True
    assert config.intake.smtp is not None
    assert config.intake.smtp.port == 2525


def test_the_environment_alone_can_add_a_section(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("p")
    config = configured(
        tmp_path,
        LEAST,
        PBEM_INTAKE__IMAP__0__HOST="imap.example",
        PBEM_INTAKE__IMAP__0__USER="nomic",
        PBEM_INTAKE__IMAP__0__PASSWORD_FILE="p",
    )
    assert [account.host for account in config.intake.imap] == ["imap.example"]


def test_a_fault_in_the_environment_is_named_by_its_variable(tmp_path: Path) -> None:
    assert faults(tmp_path, LEAST, PBEM_MAIL__ADRESS="x", PBEM_LIMITS__PARTS="many") == (
        "PBEM_LIMITS__PARTS in the environment: must be a whole number from 1 to 1000, not 'many'",
        "PBEM_MAIL__ADRESS in the environment: did you mean address?",
    )


def test_a_secret_is_taken_from_the_systemd_credentials_first(tmp_path: Path) -> None:
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / "smtp").write_text("from systemd\n")
    (tmp_path / "smtp").write_text("from beside the file\n")
    text = LEAST + '[delivery.smtp]\nhost = "h"\nuser = "u"\npassword_file = "smtp"\n'
    for environment, secret in (
        ({}, "from beside the file"),
        ({"CREDENTIALS_DIRECTORY": str(credentials)}, "from systemd"),
    ):
        delivery = configured(tmp_path, text, **environment).delivery
        assert isinstance(delivery, SmtpDelivery)
        assert delivery.password_file is not None
        assert delivery.password_file.reveal() == secret


def test_no_secret_is_shown(tmp_path: Path) -> None:
    (tmp_path / "smtp").write_text("kodord")
    text = 'database = "postgresql://pbem:lösen@db.example/pbem"\n' + LEAST
    config = configured(tmp_path, text + '[delivery.smtp]\nhost = "h"\nuser = "u"\npassword_file = "smtp"\n')
    assert "kodord" not in repr(config)
    assert "lösen" not in repr(config)
    assert "password_file=***" in repr(config)


def test_a_renewed_token_is_read_anew(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("morning\n")
    account = '[[intake.imap]]\nhost = "h"\nuser = "u"\noauth2 = "token"\n'
    secret = configured(tmp_path, LEAST + account).intake.imap[0].oauth2
    assert secret is not None
    assert secret.reveal() == "morning"
    token.write_text("noon\n")
    assert secret.reveal() == "noon"


def test_text_that_looks_like_settings_does_not_confuse_the_lines(tmp_path: Path) -> None:
    text = LEAST + 'name = """\n[site]\nurl = 3\n"""\n[limits]\nparts = 0\n'
    assert faults(tmp_path, text) == (
        "pbem.toml line 8: [limits] parts: must be a whole number from 1 to 1000, not 0",
    )


def test_a_smart_host_asks_for_a_password_or_a_token_and_never_both(tmp_path: Path) -> None:
    for name in ("password", "token"):
        (tmp_path / name).write_text(name)
    host = LEAST + '[delivery.smtp]\nhost = "smtp.example"\n'
    user, password, token = 'user = "u"\n', 'password_file = "password"\n', 'oauth2 = "token"\n'

    shown = configured(tmp_path, host + user + token).delivery
    assert isinstance(shown, SmtpDelivery)
    assert shown.oauth2 is not None
    assert shown.oauth2.reveal() == "token"
    assert "token" not in str(shown)
    for bad in (user, password, token, user + password + token, password + token):
        (fault,) = faults(tmp_path, host + bad)
        assert fault.endswith("user goes together with either password_file or oauth2"), bad


def test_the_sample_loads_as_it_is(tmp_path: Path) -> None:
    assert configured(tmp_path, SAMPLE) == configured(tmp_path, LEAST + "[site]\npreview = 8080\n")


def test_every_line_of_the_sample_can_be_uncommented(tmp_path: Path) -> None:
    for name in ("imap-password", "smtp-password"):
        (tmp_path / name).write_text("x")
    every = re.sub(r"(?m)^# (?=\[|\w+ = )", "", SAMPLE)
    # Of two that exclude one another the sample shows both.
    every = re.sub(r"(?m)^oauth2 = .*$|^\[delivery\.maildir\].*\nfolder = .*$", "", every)
    config = configured(tmp_path, every)
    assert config.intake.smtp == SmtpIntake(hostname="nomic.example")
    assert config.intake.imap[0].processed == "Processed"
    assert isinstance(config.delivery, SmtpDelivery)
    assert config.limits == configured(tmp_path, LEAST).limits
    assert config.site.url == "https://nomic.example/"
