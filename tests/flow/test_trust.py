"""Whose word counts for who wrote a mail, by the way it came in."""

from __future__ import annotations

import pytest

from pbem.config import ConfigError, load
from pbem.mail.message import Envelope
from pbem.mail.parse import read_mail
from pbem.service.receive import TRUSTED, reading_rules

MAIL = b"""Authentication-Results: mx.nomic.example; dmarc=pass header.from=skog.example
From: Asa <asa@skog.example>
To: nomic@nomic.example
Subject: ballot

for 301
"""


@pytest.fixture(name="config")
def _config(tmp_path):
    file = tmp_path / "pbem.toml"
    file.write_text(
        '[mail]\naddress = "nomic@nomic.example"\n[identity]\ntrusted_receivers = ["mx.nomic.example"]\nrelays = ["10.1.2.0/24", "2a01:4f8::7"]\n'
    )
    return load(file, {})


@pytest.mark.parametrize(
    "source",
    [
        *(
            "lmtp 127.0.0.1",
            "smtp 127.0.0.1",
            "smtp ::1",
            "smtp 10.1.2.3",
            "smtp ::ffff:10.1.2.3",
            "lmtp 10.1.2.3",
        ),
        *("smtp 2a01:4f8::7", "imap nomic@mx", "deliver"),
    ],
)
def test_our_own_servers_word_counts_on_every_way_behind_it(config, source):
    assert read_mail(MAIL, Envelope(1), reading_rules(config, source)).authenticated == "asa@skog.example"


@pytest.mark.parametrize(
    "source",
    [
        *(
            "smtp 203.1.113.9",
            "smtp 2a01:4f8::1",
            "smtp ",
            "smtp 10.1.3.3",
            "smtp 172.17.0.1",
            "smtp 192.168.1.9",
        ),
        *("smtp fd00::1", "lmtp 192.0.2.9"),
    ],
)
def test_a_listener_believes_no_header_from_elsewhere_be_the_address_private_or_not(config, source):
    assert read_mail(MAIL, Envelope(1), reading_rules(config, source)).authenticated is None


def test_the_hosts_word_is_enough(config):
    unsigned = MAIL.partition(b"\n")[2]

    assert read_mail(unsigned, Envelope(1), reading_rules(config, "deliver")).authenticated is None
    assert (
        read_mail(unsigned, Envelope(1), reading_rules(config, TRUSTED)).authenticated == "asa@skog.example"
    )


def test_a_relay_that_is_no_network_is_said_so(tmp_path):
    file = tmp_path / "pbem.toml"
    file.write_text('[mail]\naddress = "nomic@nomic.example"\n[identity]\nrelays = ["10.1.2.3/24", "mx"]\n')

    with pytest.raises(ConfigError, match=r"'10.1.2.3/24' is no network: write it as \"10.1.2.0/24\""):
        load(file, {})
