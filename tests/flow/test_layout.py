"""The laws of layout.py see the faults they are for. Every story here is held to them (conftest.py), and so is the demo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pbem.mail.compose import compose
from pbem.mail.message import Outbound
from tests.flow.layout import faults
from tests.flow.post import Letter

TEXT = "The rules\n=========\n\n> Tea is served at four.\n\n    for 301\n"
HTML = "<h1>The rules</h1>\n<p>Tea is served at four.</p>\n<pre>for 301</pre>\n"
MAIL = Outbound(
    key="kaffe/digest:1/2",
    game="kaffe",
    to="asa@skog.example",
    to_name="Åsa Öberg",
    subject="[kaffe] The rules",
    text=TEXT,
    html=HTML,
    date=1_796_000_000_000_000,
    return_path="bounce@nomic.example",
    reply_to="nomic+kaffe@nomic.example",
    sender="nomic@nomic.example",
    sender_name="Nomic",
    thread="turn.1",
    headers=(("List-Post", "NO"), ("List-Help", "<mailto:nomic+kaffe@nomic.example?subject=help>")),
)


def found(folder: Path, content: bytes) -> list[str]:
    file = folder / "mail"
    file.write_bytes(content.replace(b"\r\n", b"\n"))
    return faults(file.read_bytes(), Letter(file))


def test_a_mail_that_keeps_the_laws_has_no_fault(tmp_path: Path) -> None:
    assert found(tmp_path, compose(MAIL)) == []


@pytest.mark.parametrize(("old", "new", "fault"), [
    ("Tea is", "Tea is always " * 8 + "is", "columns"),
    ("at four.\n", "at four. \n", "space at the end"),
    ("at four", "at\u00a0four", "may be mangled"),
    ("at four", "at\tfour", "may be mangled"),
    ("> Tea", "--\n> Tea", "means something"),
    ("> Tea", "\n\n> Tea", "two empty lines"),
    ("for 301\n", "for 301\n\n", "does not begin"),
    ("=========\n", "", "no heading"),
    ("at four", "four at", "HTML: …"),
    ("    for 301\n", "", "HTML: …"),
])  # fmt: skip
def test_a_fault_in_the_text_is_found(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert old in TEXT
    assert fault in "\n".join(found(tmp_path, compose(replace(MAIL, text=TEXT.replace(old, new)))))


@pytest.mark.parametrize(("old", "new", "fault"), [
    (b"Auto-Submitted: auto-generated\r\n", b"", "Auto-Submitted"),
    (b"List-Id:", b"X-List-Id:", "no List-Id"),
    (b"Reply-To:", b"Reply-To: <a@b.example>\r\nReply-To:", "Reply-To not once"),
    (b"References:", b"X-References:", "not among its References"),
    (b"Tea is", b"Tea is =C3=A5 =C3=A5 =C3=A5 =C3=A5 =C3=A5 =C3=A5 =C3=A5 =C3=A5 =C3=A5 =C3=A5", "too long"),
    (b"> Tea", b"From tea", "begins with From"),
    (b"at four", "at åtta".encode(), "not ASCII"),
    (b"<h1>", b"<img><h1>", "it has {'img'}"),
])  # fmt: skip
def test_a_fault_on_the_wire_is_found(tmp_path: Path, old: bytes, new: bytes, fault: str) -> None:
    content = compose(MAIL)
    assert old in content
    assert fault in "\n".join(found(tmp_path, content.replace(old, new, 1)))
