"""Stories of mail in and mail out."""

from __future__ import annotations

import hashlib
import threading

import pytest

from pbem.store import queues
from pbem.store.db import Raced, Store
from pbem.store.queues import Accepted
from tests.store.samples import MINUTE, arrival, outcome, outgoing


def claim(store: Store, now: int, worker: str = "w", limit: int = 10) -> list[str]:
    with store.transaction():
        return [mail.key for mail in queues.claim_outbox(store, now, limit, worker, lease=MINUTE)]


def test_the_same_mail_twice_is_one_mail(store: Store) -> None:
    with store.transaction():
        first = queues.accept(store, arrival("k", content=b"by SMTP"))
        again = queues.accept(store, arrival("k", content=b"by IMAP, other Received lines"))
        other = queues.accept(store, arrival("same Message-ID, other body"))
    assert (first.repeat, again, other.repeat) == (False, Accepted(first.id, True), False)
    with store.reading():
        assert [(entry.id, entry.repeats) for entry in queues.inbox_log(store)] == [
            (other.id, 0),
            (first.id, 1),
        ]
        assert queues.mail(store, hashlib.sha256(b"by SMTP").hexdigest()) == b"by SMTP"
        assert queues.mail(store, hashlib.sha256(b"by IMAP, other Received lines").hexdigest()) is None


def test_a_repeat_of_a_mail_that_is_done_stays_done(store: Store) -> None:
    with store.transaction():
        taken = queues.accept(store, arrival("k"))
        queues.finish(store, taken.id, outcome())
        queues.accept(store, arrival("k"))
        assert queues.claim_new(store, MINUTE, 10) == ()


def test_a_letter_counts_once_a_mail_with_it_is_done_and_credited(store: Store) -> None:
    with store.transaction():
        taken = [queues.accept(store, arrival(key, letter="L")).id for key in ("held", "a machine's", "done")]
        queues.accept(store, arrival("new", letter="M"))
        queues.accept(store, arrival("no Message-ID"))
        queues.hold(store, taken[0], outcome())
        queues.finish(store, taken[1], outcome(kind="auto-reply", author=None))
        assert not queues.counted(store, "L")
        queues.finish(store, taken[2], outcome())
        assert queues.counted(store, "L")
        assert not queues.counted(store, "M")


def test_bytes_come_back_as_they_came(store: Store) -> None:
    nasty = bytes(range(256)) * 40
    with store.transaction():
        queues.accept(store, arrival("k", content=nasty))
    with store.transaction():
        (mail,) = queues.claim_new(store, MINUTE, 10)
    assert (mail.content, mail.digest) == (nasty, hashlib.sha256(nasty).hexdigest())


def test_a_mail_is_found_by_its_author_and_the_beginning_of_its_digest(store: Store) -> None:
    digest = hashlib.sha256(b"words").hexdigest()
    with store.transaction():
        taken = queues.accept(store, arrival("k", content=b"words"))
        queues.finish(store, taken.id, outcome(author="mia@players.example"))
    with store.reading():
        found = queues.taken_from(store, "mia@players.example", digest[:24])
        assert found is not None
        assert (found.content, found.digest) == (b"words", digest)
        assert queues.taken_from(store, "bo@players.example", digest[:24]) is None, "another's mail"
        assert queues.taken_from(store, "mia@players.example", "0" * 24) is None
    with store.transaction():
        queues.erase_mails(store, ["mia@players.example"])
        assert queues.taken_from(store, "mia@players.example", digest[:24]) is None, "it was erased"


def test_an_envelope_no_database_takes_is_taken_all_the_same(store: Store) -> None:
    with store.transaction():
        queues.accept(store, arrival("k", sender="m\0ia@players.example", recipient="\udce5@nomic.example"))
        (mail,) = queues.claim_new(store, MINUTE, 10)
    assert (mail.sender, mail.recipient) == ("m�ia@players.example", "?@nomic.example")


def test_mails_are_worked_off_in_order_of_arrival(store: Store) -> None:
    with store.transaction():
        for key, received in (("late", 30), ("early", 10), ("middle", 20), ("also early", 10)):
            queues.accept(store, arrival(key, content=key.encode(), received=received))
        assert [mail.content for mail in queues.claim_new(store, MINUTE, 3)] == [
            b"early",
            b"also early",
            b"middle",
        ]


def test_the_log_tells_what_became_of_each_mail(store: Store) -> None:
    with store.transaction():
        ballot = queues.accept(store, arrival("ballot", received=10))
        queues.accept(store, arrival("waiting", received=20))
        queues.finish(store, ballot.id, outcome(result="ballot for 301\0"))
    with store.reading():
        (done,) = queues.inbox_log(store, game="kaffe")
        assert (done.id, done.kind, done.author, done.result) == (
            ballot.id,
            "human",
            "mia@players.example",
            "ballot for 301�",
        )
        assert [entry.state for entry in queues.inbox_log(store)] == ["new", "done"]
        assert [entry.state for entry in queues.inbox_log(store, limit=1)] == ["new"]
        assert [entry.id for entry in queues.inbox_log(store, digest=done.digest)] == [ballot.id]
        assert queues.inbox_log(store, game="te") == queues.inbox_log(store, state="parked") == ()


def test_a_mail_is_finished_once(store: Store) -> None:
    with store.transaction():
        taken = queues.accept(store, arrival("k"))
        queues.finish(store, taken.id, outcome())
        with pytest.raises(Raced):
            queues.finish(store, taken.id, outcome())
        with pytest.raises(Raced):
            queues.fail(store, taken.id, "too late", MINUTE)


def test_a_mail_our_code_fails_on_is_tried_three_times_and_others_pass_it(store: Store) -> None:
    with store.transaction():
        bad = queues.accept(store, arrival("bad", received=10)).id
        good = queues.accept(store, arrival("good", received=20)).id
        assert queues.fail(store, bad, "KeyError: 305", now=0) == "failed"
        assert [mail.id for mail in queues.claim_new(store, MINUTE, 10)] == [good]
        # Five minutes after the first failure, ten after the second.
        assert [mail.id for mail in queues.claim_new(store, 5 * MINUTE, 10)] == [bad, good]
        assert queues.fail(store, bad, "KeyError: 305", now=5 * MINUTE) == "failed"
        assert [mail.id for mail in queues.claim_new(store, 15 * MINUTE - 1, 10)] == [good]
        (again, _) = queues.claim_new(store, 15 * MINUTE, 10)
        assert (again.id, again.attempts) == (bad, 2)
        assert queues.fail(store, bad, "KeyError: 305", now=15 * MINUTE) == "parked"
        assert [mail.id for mail in queues.claim_new(store, 999 * MINUTE, 10)] == [good]
        (parked,) = queues.inbox_log(store, state="parked")
        assert (parked.attempts, parked.result) == (3, "KeyError: 305")


def test_a_held_mail_that_comes_again_with_proof_is_worked_off_once(store: Store) -> None:
    proven = arrival(
        "k", received=20, source="host", content=b"Authentication-Results: yes\r\n\r\nfor 301\r\n"
    )
    with store.transaction():
        taken = queues.accept(store, arrival("k", received=10))
        queues.hold(store, taken.id, outcome(author=None, result="not signed"))
        assert queues.claim_new(store, MINUTE, 10) == ()
        released = queues.take_held(store, taken.id, proven)
        assert released is not None
        assert (released.id, released.received, released.content) == (taken.id, 10, proven.content)
        assert queues.take_held(store, taken.id, proven) is None
        queues.finish(store, taken.id, outcome())
        assert queues.inbox_counts(store) == {"done": 1}


def test_a_mail_held_for_another_reason_than_its_author_stays_held(store: Store) -> None:
    with store.transaction():
        taken = queues.accept(store, arrival("k"))
        queues.hold(store, taken.id, outcome(result="its Message-ID was used before"))
        assert queues.take_held(store, taken.id, arrival("k")) is None


def test_a_key_is_sent_once(store: Store) -> None:
    with store.transaction():
        queues.enqueue(
            store, [outgoing("digest 7", content=b"first"), outgoing("digest 7", content=b"second")]
        )
        queues.enqueue(store, [outgoing("digest 7", content=b"third")])
        queues.enqueue(store, [])
        (mail,) = queues.claim_outbox(store, MINUTE, 10, "w", MINUTE)
        assert mail.content == queues.outgoing(store, "digest 7") == b"first"
        assert queues.outgoing(store, "digest 8") is None


def test_a_lease_keeps_others_away_until_it_ends(store: Store) -> None:
    with store.transaction():
        queues.enqueue(store, [outgoing("a")])
    assert claim(store, MINUTE - 1) == []
    assert claim(store, MINUTE, "dies") == ["a"]
    assert claim(store, 2 * MINUTE - 1, "lives") == []
    with store.transaction():
        assert queues.next_due_outbox(store) == 2 * MINUTE
        (mail,) = queues.claim_outbox(store, 2 * MINUTE, 10, "lives", MINUTE)
        assert mail.attempts == 2
        assert queues.sent(store, [mail.id], "dies", 2 * MINUTE) == 0
        assert not queues.defer(store, mail.id, "dies", 9 * MINUTE, "451")
        assert not queues.give_up(store, mail.id, "dies", 2 * MINUTE, "550")
        assert queues.sent(store, [mail.id], "lives", 2 * MINUTE) == 1
        assert queues.outbox_counts(store) == {"sent": 1}
        assert queues.next_due_outbox(store) is None
    assert claim(store, 9 * MINUTE) == []


def test_a_deferred_mail_waits_and_a_refused_one_is_left(store: Store) -> None:
    with store.transaction():
        queues.enqueue(store, [outgoing("later"), outgoing("never")])
        later, never = queues.claim_outbox(store, MINUTE, 10, "w", MINUTE)
        assert queues.defer(store, later.id, "w", 5 * MINUTE, "451 try later")
        assert queues.give_up(store, never.id, "w", MINUTE, "550 no such mailbox")
        assert queues.outbox_counts(store) == {"ready": 1, "given up": 1}
    assert claim(store, 5 * MINUTE - 1) == []
    assert claim(store, 5 * MINUTE) == ["later"]


def test_the_longest_due_goes_first_and_no_more_than_asked(store: Store) -> None:
    with store.transaction():
        queues.enqueue(store, [outgoing("c", due=30), outgoing("a", due=10), outgoing("b", due=20)])
    assert claim(store, MINUTE, limit=2) == ["a", "b"]
    assert claim(store, MINUTE) == ["c"]


def test_a_correction_replaces_only_what_is_still_queued(store: Store) -> None:
    with store.transaction():
        queues.enqueue(store, [outgoing("queued", due=5 * MINUTE), outgoing("on its way")])
    assert claim(store, MINUTE) == ["on its way"]
    with store.transaction():
        assert queues.withdraw(store, "queued", MINUTE)
        assert not queues.withdraw(store, "queued", MINUTE)
        assert not queues.withdraw(store, "on its way", 2 * MINUTE - 1)
        assert not queues.withdraw(store, "unknown", MINUTE)
    assert claim(store, 9 * MINUTE) == ["on its way"]


def test_six_workers_send_three_hundred_mails_and_none_twice(store: Store) -> None:
    with store.transaction():
        queues.enqueue(store, [outgoing(f"mail {number}") for number in range(300)])
    sent: list[str] = []

    def work(worker: str) -> None:
        with store.connected():
            while True:
                with store.transaction():
                    mails = queues.claim_outbox(store, MINUTE, 7, worker, MINUTE)
                if not mails:
                    return
                sent.extend(mail.key for mail in mails)
                with store.transaction():
                    assert queues.sent(store, [mail.id for mail in mails], worker, MINUTE) == len(mails)

    threads = [threading.Thread(target=work, args=(f"w{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sent) == sorted(f"mail {number}" for number in range(300))
    with store.reading():
        assert queues.outbox_counts(store) == {"sent": 300}


@pytest.mark.parametrize("url", [pytest.param("postgres", marks=pytest.mark.live)], indirect=True)
def test_a_worker_passes_by_what_another_is_just_claiming(store: Store) -> None:
    with store.transaction():
        queues.enqueue(store, [outgoing("a"), outgoing("b"), outgoing("c")])
    claimed: list[str] = []
    with store.transaction():
        assert [mail.key for mail in queues.claim_outbox(store, MINUTE, 2, "slow", MINUTE)] == ["a", "b"]
        other = threading.Thread(target=lambda: claimed.extend(claim(store, MINUTE, "quick")))
        other.start()
        other.join(timeout=20)
        assert claimed == ["c"]


def test_two_workers_never_work_off_the_same_mail(store: Store) -> None:
    with store.transaction():
        for number in range(40):
            queues.accept(store, arrival(f"mail {number}", received=number))
    order: list[int] = []

    def work() -> None:
        while True:
            with store.transaction():
                mails = queues.claim_new(store, MINUTE, 3)
                for mail in mails:
                    order.append(mail.received)
                    queues.finish(store, mail.id, outcome())
            if not mails:
                return

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert order == list(range(40))


def test_who_is_forgotten_leaves_no_mail_behind(store: Store) -> None:
    with store.transaction():
        mine = queues.accept(store, arrival("mine", content=b"from Mia", sender="Mia@Players.example"))
        work = queues.accept(
            store, arrival("from work", content=b"from Mia at work", sender="m@work.example")
        )
        bos = queues.accept(store, arrival("from Bo", content=b"from Bo", sender="bo@players.example"))
        queues.finish(store, work.id, outcome())
        queues.finish(store, bos.id, outcome(author="bo@players.example"))
        queues.enqueue(store, [outgoing("to Mia", recipient="mia@players.example"), outgoing("to Bo")])
        queues.erase_mails(store, ["mia@players.example"])
    with store.transaction():
        assert queues.claim_new(store, MINUTE, 10) == ()
        assert [mail.key for mail in queues.claim_outbox(store, MINUTE, 10, "w", MINUTE)] == ["to Bo"]
        log = {entry.id: entry for entry in queues.inbox_log(store)}
        assert [queues.mail(store, log[taken.id].digest) for taken in (mine, work, bos)] == [
            None,
            None,
            b"from Bo",
        ]
        assert queues.outgoing(store, "to Mia") is None
        assert "mia@players.example" not in repr(log).lower()
