"""A mail is shown as it is read, with the evidence for each step: for a person at a terminal, and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.flow.console import Console
from tests.flow.shapes import EXPLANATION, faults

SETTINGS = """[mail]
address = "nomic@nomic.example"
other_addresses = ["bounce@nomic.example"]
[identity]
trusted_receivers = ["mx.nomic.example"]
"""
PROVEN = "Authentication-Results: mx.nomic.example; dmarc=pass header.from=berg.example\n"
HEAD = "From: Bo Berg <bo@berg.example>\nTo: nomic+kaffe@nomic.example\nSubject: Re: [Nomic] Proposal 301\n"
EVERYTHING = """CAUTION: this mail is from outside. Do not click on links.

Hello all,
yes to 301
agaisnt 302
propose enact: Tea
Tea is served.
end

Bo
--\x20
Bo Berg, Bergen

On Tue, 1 Dec 2026 at 11:00, Nomic <nomic+kaffe@nomic.example> wrote:
> Proposal 301
> for or against?
"""


class Desk:
    """`pbem explain` on mails in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        (folder / "pbem.toml").write_text(SETTINGS)
        self.folder = folder
        self.pbem = Console(folder)

    def letter(self, head: str, body: str = "for 301\n", name: str = "1.eml") -> str:
        path = self.folder / name
        path.write_bytes(f"{head}\n{body}".encode())
        return str(path)

    def steps(self, head: str, body: str = "for 301\n") -> dict[str, tuple[str, str]]:
        told = self.pbem.json("explain", self.letter(head, body))
        return {step["name"]: (step["found"], step["because"]) for step in told["steps"]}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


class TestTheSteps:
    def test_of_a_ballot_that_counts(self, desk: Desk) -> None:
        steps = desk.steps(PROVEN + HEAD)
        assert list(steps) == ["limits", "kind", "author", "proof", "subject", "recipient", "body", "game"]
        assert steps["limits"] == (f"{len(PROVEN + HEAD) + 9} bytes, 4 headers, 1 part", "all of it is read")
        assert steps["kind"] == ("human", "nothing shows a machine")
        assert steps["author"] == ("bo@berg.example", "the one address in From: Bo Berg <bo@berg.example>")
        assert steps["proof"] == ("credited", "mx.nomic.example says dmarc=pass for berg.example")
        assert steps["subject"] == ("Proposal 301", "without prefixes and tags of: Re: [Nomic] Proposal 301")
        assert steps["game"] == ("kaffe", "the tag of nomic+kaffe@nomic.example")
        assert steps["body"] == ("text/plain", "the first part with a text that is not blank")

    @pytest.mark.parametrize(
        ("verdict", "because"),
        [
            ("", "no trusted receiver says who sent it"),
            ("dmarc=fail header.from=berg.example", "mx.nomic.example says dmarc=fail for berg.example"),
            ("dmarc=pass header.from=evil.example", "mx.nomic.example says dmarc=pass for evil.example"),
            (
                "spf=pass smtp.mailfrom=berg.example",
                "mx.nomic.example says nothing that shows it is from berg.example",
            ),
        ],
    )
    def test_why_a_mail_is_held(self, desk: Desk, verdict: str, because: str) -> None:
        head = (f"Authentication-Results: mx.nomic.example; {verdict}\n" if verdict else "") + HEAD
        assert desk.steps(head)["proof"] == ("not credited", because)
        told = desk.pbem.json("explain", desk.letter(head))
        assert (told["sender"], told["claimed"]) == (None, "bo@berg.example")
        assert told["held"] == f"nothing proves who wrote it: {because}"
        assert f"nothing proves who wrote it: {because}" in desk.pbem.done("explain", desk.letter(head))

    def test_why_a_mail_is_a_machines(self, desk: Desk) -> None:
        steps = desk.steps(HEAD + "Auto-Submitted: auto-replied\n")
        assert steps["kind"] == ("auto-reply", "Auto-Submitted: auto-replied")
        assert "body" not in steps

    def test_that_a_bounce_tells_of_a_delay_alone(self, desk: Desk) -> None:
        report = "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n"
        body = "--b\nContent-Type: message/delivery-status\n\nAction: delayed\n--b--\n"
        assert desk.steps(HEAD + report, body)["kind"] == ("bounce", "a delivery report (delayed); not final")

    def test_that_a_mail_has_two_authors(self, desk: Desk) -> None:
        steps = desk.steps(HEAD + "From: eve@evil.example\n")
        assert steps["kind"] == ("invalid", "there are 2 From headers")
        assert steps["author"] == ("eve@evil.example", "2 From headers, and no single address in them")

    def test_which_limit_a_mail_broke(self, desk: Desk) -> None:
        found, because = desk.steps(HEAD + "X: y\n" * 300)["limits"]
        assert found == f"{len(HEAD) + 5 * 300 + 9:,} bytes, 200 headers, 1 part"
        assert because == "there are more than 200 headers"
        assert desk.steps(HEAD, "word " * 60_000)["limits"][1] == "only the first 262,144 bytes are read"

    def test_by_what_its_game_is_known(self, desk: Desk) -> None:
        plain = HEAD.replace("+kaffe", "")
        assert desk.steps(plain)["game"][0] == "–"
        assert desk.steps(plain.replace("[Nomic]", "[kaffe]"))["game"] == ("kaffe", "[kaffe] in its subject")
        answer = plain + "In-Reply-To: <kaffe.proposal.301@nomic.example>\n"
        assert desk.steps(answer)["game"] == ("kaffe", "it answers a mail of ours about proposal.301")

    def test_without_anything_that_a_terminal_obeys(self, desk: Desk) -> None:
        head = PROVEN + HEAD + "Content-Type: text/plain; charset=\x1b[31m\u202e\n"
        told = desk.pbem.done("explain", desk.letter(head, "for 301 \x1b]0;x\x07\n"))
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(told)


class TestTheWords:
    def test_what_was_left_out_and_by_which_mark(self, desk: Desk) -> None:
        told = desk.pbem.json("explain", desk.letter(PROVEN + HEAD, EVERYTHING))
        assert [(cut["why"], cut["rows"], cut["above"]) for cut in told["left_out"]] == [
            ("banner", 1, 0), ("signature", 2, 8), ("quote", 3, 8),
        ]  # fmt: skip
        assert told["left_out"][2]["row"].startswith("On Tue, 1 Dec 2026")

    def test_what_becomes_of_each_line(self, desk: Desk) -> None:
        told = desk.pbem.json("explain", desk.letter(PROVEN + HEAD, EVERYTHING))
        assert faults(told, EXPLANATION) == []
        assert [(line["line"], line["outcome"]) for line in told["lines"]] == [
            (1, "posted"), (2, "understood"), (3, "asked back"), (4, "understood"), (5, "text"), (6, "text"),
            (8, "posted"),
        ]  # fmt: skip

    def test_on_a_terminal(self, desk: Desk) -> None:
        told = desk.pbem.done("explain", desk.letter(PROVEN + HEAD, EVERYTHING)).split("\n")
        assert (
            "  quote        3 lines below line 8, from “On Tue, 1 Dec 2026 at 11:00, Nomic <nomic+ka”" in told
        )
        assert "   1  Hello all,          posted to the others" in told
        assert "   2  yes to 301          understood: ballot 301 for" in told
        assert any(line.startswith("   3  agaisnt 302         asked back: ") for line in told)
        assert f"{'':26}try: against 302" in told
        assert "   5  Tea is served.      text of the command above" in told

    def test_that_the_subject_alone_was_read(self, desk: Desk) -> None:
        head = (PROVEN + HEAD).replace("Proposal 301", "for 301")
        assert desk.pbem.json("explain", desk.letter(head, ""))["lines"] == [
            {"line": 0, "said": "for 301", "outcome": "understood"}
        ]

    def test_that_there_is_nothing_to_read(self, desk: Desk) -> None:
        assert "nothing to read" in desk.pbem.done("explain", desk.letter(HEAD, "> quoted\n"))


def test_a_folder_is_a_table_with_a_row_for_each_mail(desk: Desk) -> None:
    desk.letter(PROVEN + HEAD, name="1.eml")
    desk.letter(HEAD, "Hello\n", name="2.eml")
    desk.letter(HEAD + "Auto-Submitted: auto-replied\n", name="3.eml")
    desk.letter(PROVEN + HEAD, "agaisnt 302\n", name="4.eml")
    columns: list[Any] = [
        line.split(maxsplit=4) for line in desk.pbem.done("explain", str(desk.folder)).split("\n")
    ]
    assert columns == [
        ["file", "kind", "sender", "game", "reading"],
        ["1.eml", "human", "bo@berg.example", "kaffe", "ballot 301 for"],
        ["2.eml", "human", "(bo@berg.example)", "kaffe", "posted"],
        ["3.eml", "auto-reply", "(bo@berg.example)", "kaffe", "–"],
        ["4.eml", "human", "bo@berg.example", "kaffe", "? agaisnt 302"],
        [],
    ]
