"""Machines that write to machines: nothing goes on for ever, and nobody can make us write more than they do."""

from __future__ import annotations

import pytest

from pbem.mail import classify
from pbem.mail.message import Envelope
from pbem.service import process, worker
from pbem.service.receive import receive
from tests.flow.forging import WORLD, headers, results
from tests.flow.post import ADDRESS, DAY, GAME, RECEIVER, Letter, Post
from tests.promises.table import Promise

ROUNDS = 40
"""Enough that whatever does not end by itself shows."""
VACATION = "Thank you for your mail. I am away until 7 January and read no mail until then."
REPORT = """From: MAILER-DAEMON@berg.example
To: {to}
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

Your mail could not be delivered.

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.berg.example

Final-Recipient: rfc822; bo@berg.example
Action: {action}
Status: {status}

--b--
"""


def news(post: Post, name: str, seen: list[Letter]) -> list[Letter]:
    """The mails that have come into somebody's Maildir since, which are then seen."""
    fresh = [letter for letter in post.inbox(name) if letter not in seen]
    seen.extend(fresh)
    return fresh


def answering(post: Post, name: str, letter: Letter, words: str, **headers_: str) -> bytes:
    """An answer as a machine sends it: to Reply-To, with our mail quoted, and signed by its provider."""
    quoted = "\n".join(f"> {line}" for line in letter.text.splitlines())
    return post.compose(
        name,
        f"{words}\n\nOn Tuesday Nomic wrote:\n{quoted}\n",
        subject=f"Re: {letter.subject}",
        To=str(letter.message["Reply-To"]),
        In_Reply_To=str(letter.message["Message-ID"]),
        Authentication_Results=results(name),
        **headers_,
    )


def volley(post: Post, name: str, words: str, **machine: str) -> tuple[int, int]:
    """Somebody's machine answers all that comes, until nothing comes; returns how many mails went each way."""
    seen = list(post.inbox(name))
    waiting, sent, got = seen[-1:], 0, 0
    for _ in range(ROUNDS):
        for letter in waiting:
            post.take(answering(post, name, letter, words, **machine), source=WORLD)
            sent += 1
        waiting = news(post, name, seen)
        got += len(waiting)
        if not waiting:
            return sent, got
    raise AssertionError("it does not end")


def writes_at_most(promise: Promise, post: Post, most: int, **machine: str) -> None:
    """A vacation responder answers all that comes; so many mails at most go to it for that."""
    sent, got = volley(post, "Bo", VACATION, **machine)
    promise.shows(faults=1, mails=sent + got, accepted=max(0, got - most))


@pytest.mark.promise(23)
@pytest.mark.parametrize(
    "machine",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"X_Autoreply": "yes"},
        {"Auto_Submitted": "auto-replied", "From": "Bo <bo@other.example>"},
    ],
    ids=str,
)
def test_a_vacation_responder_that_says_what_it_is_gets_nothing(
    voting: Post, promise: Promise, machine: dict[str, str]
) -> None:
    events = voting.state()["events"]
    writes_at_most(promise, voting, 0, **machine)
    assert voting.state()["events"] == events


@pytest.mark.promise(23)
def test_one_that_does_not_say_so_is_posted_once_and_answered_once(voting: Post, promise: Promise) -> None:
    writes_at_most(promise, voting, 2)
    posts = [letter for letter in voting.inbox("Cia") if "I am away" in letter.text]
    assert len(posts) == 1


@pytest.mark.promise(23)
def test_a_server_that_does_not_look_for_machines_is_seen(
    voting: Post, promise: Promise, monkeypatch: pytest.MonkeyPatch
) -> None:
    less = tuple((kind, tests) for kind, tests in classify._TESTS if kind != "auto-reply")
    monkeypatch.setattr(classify, "_TESTS", less)
    with promise.breaks("Auto-Submitted is not looked at"):
        writes_at_most(promise, voting, 0, Auto_Submitted="auto-replied")


@pytest.mark.promise(23)
def test_two_that_do_not_say_so_end_too(voting: Post, promise: Promise) -> None:
    """Bo's and Cia's machines answer all that comes; each one's words are posted to the other."""
    seen: dict[str, list[Letter]] = {name: list(voting.inbox(name)) for name in ("Bo", "Cia")}
    waiting = [("Bo", seen["Bo"][-1])]
    came = 0
    for _ in range(ROUNDS):
        for name, letter in waiting:
            voting.take(answering(voting, name, letter, f"{VACATION} {name}"), source=WORLD)
        waiting = [(name, letter) for name in seen for letter in news(voting, name, seen[name])]
        came += len(waiting)
        if not waiting:
            break
    assert waiting == []
    promise.shows(faults=2, mails=came, accepted=max(0, came - 6))


def test_the_same_words_the_next_day_are_words_again(voting: Post) -> None:
    for _ in range(2):
        voting.take(voting.compose("Bo", "I still think that tea is better than coffee.", re="301"))
    voting.wait(DAY)
    voting.take(voting.compose("Bo", "I still think that tea is better than coffee.", re="301"))
    assert len([letter for letter in voting.inbox("Cia") if "better than coffee" in letter.text]) == 2


def test_a_question_asked_twice_is_answered_twice(voting: Post) -> None:
    before = len(voting.inbox("Bo"))
    for _ in range(2):
        voting.take(voting.compose("Bo", "status", re="301"))
    assert len(voting.inbox("Bo")) == before + 2


@pytest.mark.promise(23)
@pytest.mark.parametrize(
    "stripped", [(), (b"X-Pbem-Loop",), (b"X-Pbem-Loop", b"Auto-Submitted", b"List-Id")], ids=str
)
def test_the_server_gets_all_its_own_mail_back_and_says_nothing(
    voting: Post, promise: Promise, stripped: tuple[bytes, ...]
) -> None:
    before = sum(voting.everybody().values())
    mails = [
        letter.file.read_bytes() for name in ("Alice", "Bo", "Cia", "Kim") for letter in voting.inbox(name)
    ]
    assert len(mails) > 8
    for content in mails:
        head, _, body = content.partition(b"\n\n")
        kept = [line for line in head.split(b"\n") if line.partition(b":")[0] not in stripped]
        reply_to = (
            next(line for line in kept if line.startswith(b"Reply-To"))
            .decode()
            .rpartition("<")[2]
            .strip("> ")
        )
        voting.ignores(b"\n".join(kept) + b"\n\n" + body, source=WORLD, recipient=reply_to)
    assert {mail.kind for mail in voting.taken()[: len(mails)]} == {"loop"}
    promise.shows(faults=len(mails), mails=len(mails), accepted=sum(voting.everybody().values()) - before)


class TestBounces:
    def bounce(self, post: Post, to: str, action: str = "failed", status: str = "5.1.1") -> None:
        post.written += 1
        content = REPORT.format(to=to, action=action, status=status).replace("\n", "\r\n").encode()
        content = headers(content, f"Message-ID: <b{post.written}@berg.example>", "Return-Path: <>")
        post.take(content, source=WORLD, sender="", recipient=to)

    def return_path(self, post: Post, name: str) -> str:
        """The envelope sender of the newest mail to somebody."""
        with post.host.store.reading():
            rows = post.host.store.rows("SELECT sender, recipient FROM outbox ORDER BY id DESC")
            return next(str(sender) for sender, recipient in rows if recipient.startswith(name.lower()))

    def test_a_mail_that_comes_back_is_never_answered(self, voting: Post) -> None:
        boxes = voting.everybody()
        self.bounce(voting, self.return_path(voting, "Bo"))
        assert voting.everybody() == boxes
        assert voting.taken()[0].kind == "bounce"

    def test_after_five_the_keeper_is_told_once_and_mail_waits_until_one_comes_from_there(
        self, voting: Post
    ) -> None:
        for _ in range(7):
            self.bounce(voting, self.return_path(voting, "Bo"))
        told = [letter for letter in voting.inbox("Kim") if "come back" in letter.subject]
        assert len(told) == 1
        assert "Bo Berg" in told[0].text
        assert "berg.example" not in told[0].text
        before = len(voting.inbox("Bo"))
        voting.mail("Alice", "What about coffee instead of all that tea?", re="301")
        assert len(voting.inbox("Bo")) == before, "it waits"
        voting.mail("Bo", "status")
        came = voting.inbox("Bo")[before:]
        assert any("instead of all that tea" in letter.text for letter in came), "nothing is lost"
        voting.mail("Alice", "Or milk, for whoever likes it?", re="301")
        assert "whoever likes it" in voting.inbox("Bo")[-1].text

    def test_a_delay_is_no_failure(self, voting: Post) -> None:
        for _ in range(7):
            self.bounce(voting, self.return_path(voting, "Bo"), "delayed", "4.4.7")
        assert not [letter for letter in voting.inbox("Kim") if "come back" in letter.subject]

    def test_a_mail_from_there_begins_the_count_anew(self, voting: Post) -> None:
        for _ in range(2):
            for _ in range(4):
                self.bounce(voting, self.return_path(voting, "Bo"))
            voting.mail("Bo", "status")
        assert not [letter for letter in voting.inbox("Kim") if "come back" in letter.subject]

    @pytest.mark.parametrize("forged", [f"nomic+bounce@{ADDRESS[6:]}", ADDRESS, "another's"])
    def test_nobody_makes_another_address_seem_dead(self, voting: Post, forged: str) -> None:
        """Without the token nothing counts; with Cia's own, it counts for Cia."""
        to = self.return_path(voting, "Cia") if forged == "another's" else forged
        for _ in range(7):
            self.bounce(voting, to)
        told = [letter.text for letter in voting.inbox("Kim") if "come back" in letter.subject]
        assert not any("Bo Berg" in text for text in told)
        before = len(voting.inbox("Bo"))
        voting.mail("Alice", "What about coffee instead of all that tea?", re="301")
        assert len(voting.inbox("Bo")) == before + 1

    def test_what_went_to_an_address_that_is_given_up_does_not_count_for_the_new_one(
        self, voting: Post
    ) -> None:
        old = self.return_path(voting, "Bo")
        for line in ("add address bo@new.example", "remove address bo@berg.example"):
            voting.pbem.done("do", GAME, "--as", "Bo Berg", line)
        for _ in range(7):
            self.bounce(voting, old)
        assert not [letter for letter in voting.inbox("Kim") if "come back" in letter.subject]
        assert "used no more" in str(voting.taken()[0].result)

    def test_a_vacation_at_the_return_path_is_no_bounce(self, voting: Post) -> None:
        to = self.return_path(voting, "Bo")
        for _ in range(7):
            content = voting.compose(
                "Bo", f"against 301\n\n{VACATION}", To=to, Authentication_Results=results("Bo")
            )
            voting.ignores(content, source=WORLD, sender="", recipient=to)
        assert not [letter for letter in voting.inbox("Kim") if "come back" in letter.subject]

    def test_nor_are_a_persons_words_there_heard(self, voting: Post) -> None:
        to = self.return_path(voting, "Bo")
        content = voting.compose("Bo", "against 301", To=to, Authentication_Results=results("Bo"))
        voting.ignores(content, source=WORLD, recipient=to)
        assert voting.proposal(301)["ballots"] == {}

    @pytest.mark.promise(23)
    def test_an_address_that_always_bounces_ends_by_itself(self, voting: Post, promise: Promise) -> None:
        """Every mail to Bo comes back, also those about the bounces."""
        bounced = 0
        seen = list(voting.inbox("Bo"))
        waiting = seen[-1:]
        for _ in range(ROUNDS):
            for _ in waiting:
                self.bounce(voting, self.return_path(voting, "Bo"))
                bounced += 1
            waiting = news(voting, "Bo", seen)
            if not waiting:
                promise.shows(faults=1, mails=bounced, accepted=max(0, bounced - 2))
                return
        raise AssertionError("it does not end")


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.promise(23)
def test_a_thousand_strangers_get_at_most_two_mails_each_and_no_more_bytes_than_they_send(
    game: Post, promise: Promise
) -> None:
    """Each is a machine that says nothing of itself and answers what comes, in full, for some rounds."""
    host, folder, mails = game.host, game.folder / "mail", 0
    bytes_in, waiting = (
        0,
        {number: f"Hello, I am machine {number} and would like to know more." for number in range(1000)},
    )
    for round_ in range(4):
        for number, words in waiting.items():
            author = f"m{number}@s{number}.example"
            subject = f"[{GAME}] hello" if number % 3 == 0 else "hello"
            content = (
                f"Authentication-Results: {RECEIVER}; dmarc=pass header.from=s{number}.example\r\n"
                f"From: M <{author}>\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\n"
                f"Message-ID: <{round_}.{number}@s{number}.example>\r\n\r\n{words}\r\n"
            ).encode()
            bytes_in += len(content)
            receive(host, content, Envelope(game.now + round_), WORLD)
            mails += 1
        process.work_off(host, game.now + round_)
        worker.send_all(host, lambda: game.now)
        got = {
            number: sorted((folder / f"m{number}@s{number}.example" / "new").glob("*")) for number in waiting
        }
        waiting = {
            number: "Thank you for your mail.\r\n"
            + "\r\n".join(f"> {line}" for line in files[-1].read_text().splitlines())
            for number, files in got.items()
            if files
        }
    counts = [len(files) for files in got.values()]
    out = sum(file.stat().st_size for files in got.values() for file in files)
    game.stored = len(game.taken())
    promise.shows(faults=1000, mails=mails, accepted=sum(max(0, count - 2) for count in counts))
    assert out <= bytes_in, f"{out} bytes out, {bytes_in} in"
