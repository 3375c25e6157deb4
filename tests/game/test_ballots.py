"""Ballots that hang on something else: conditions and endorsements, and what they come to at the close."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from immutables import Map

from pbem.game import ballots, codec, views
from pbem.game.commands import AsPlayer, CallVote, Claim, EndTurn, Forfeit, Join, Vote, Withdraw
from pbem.game.events import BallotCast, VoteClosed
from pbem.game.model import Refused
from pbem.game.proposals import Ballot, Conditional, Endorsement, Proposal
from pbem.game.state import State
from tests.game.conftest import DAY, HOUR, SECOND, Table, amend, enact

IF_PASSES = Conditional("for", 301, passes=True)
IF_FAILS = Conditional("against", 301, passes=False)
ELSE = Conditional("for", 301, passes=True, otherwise="against")


def two_votes(table, players: int = 4, **house: str) -> Table:
    """Cia's proposals 303 and 304, both put to the vote: most decide (301), and a turn holds two (302)."""
    game = table(players, **house)
    initials = "ABCDE"[:players]
    game.turn("A", amend(203, "Most decide.", adopted_when="votes_for * 2 > eligible"), initials)
    game.wait(2 * HOUR)
    game.turn("B", amend(202, "Two a turn.", proposals_per_turn="2"), initials)
    game.wait(2 * HOUR)
    game.play("B", EndTurn())
    for title in ("Tea", "Coffee"):
        game.play("C", enact(title))
        game.play("C", CallVote(game.state.last_number))
    assert game.state.open == (303, 304)
    return game


def hang(game: Table, name: str, choice, said: str = "") -> None:
    game.play(name, Vote(choice, 304, said))


def came_to(game: Table, number: int) -> dict[str, str | None]:
    """What the ballots of a closed vote came to, by the first letter of the voter."""
    lines = views.proposal_view(game.state, number).ballots
    return {line.name[0]: line.choice for line in lines if line.voted}


def why(game: Table, name: str) -> str:
    lines = views.proposal_view(game.state, 304).ballots
    return str(next(line.why for line in lines if line.name.startswith(name)))


def close_303(game: Table, votes_for: str, votes_against: str = "") -> None:
    for initial in votes_for:
        game.play(initial, Vote("for", 303))
    for initial in votes_against:
        game.play(initial, Vote("against", 303))
    assert game.stage(303) in ("adopted", "defeated")


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("against", "against"),
        (Endorsement(2), "as Bo Berg votes"),
        (IF_PASSES, "for if proposal 301 is adopted"),
        (IF_FAILS, "against if proposal 301 is not adopted"),
        (ELSE, "for if proposal 301 is adopted, otherwise against"),
        (
            Conditional("against", 301, passes=False, otherwise="for"),
            "against if proposal 301 is not adopted, otherwise for",
        ),
    ],
)
def test_what_a_ballot_says_is_told_in_words(table, choice, words):
    assert str(ballots.worded(table(3).state, choice)) == words


class TestConditions:
    @pytest.mark.parametrize(
        ("votes_for", "votes_against", "choice", "counts"),
        [
            ("ABC", "D", Conditional("for", 303, passes=True), "for"),
            ("ABC", "D", Conditional("for", 303, passes=False), None),
            ("ABC", "D", Conditional("against", 303, passes=False, otherwise="for"), "for"),
            ("A", "BCD", Conditional("for", 303, passes=True), None),
            ("A", "BCD", Conditional("against", 303, passes=False), "against"),
            ("A", "BCD", Conditional("for", 303, passes=True, otherwise="against"), "against"),
        ],
    )
    def test_a_ballot_follows_the_other_proposals_fate(self, table, votes_for, votes_against, choice, counts):
        game = two_votes(table)
        close_303(game, votes_for, votes_against)
        hang(game, "D", choice)
        for initial in "ABC":
            game.play(initial, Vote("for", 304))

        assert game.stage(304) == "adopted"
        assert came_to(game, 304) == {"A": "for", "B": "for", "C": "for", "D": counts}
        assert game.state.proposals[304].tally.votes_for == 3 + (counts == "for")
        assert game.state.proposals[304].tally.votes_against == (counts == "against")
        fate = "was adopted" if votes_for == "ABC" else "was not adopted"
        assert why(game, "D") == f"Proposal 303 {fate}{'' if counts else ', so this is no ballot'}."

    def test_a_condition_still_open_at_the_close_is_no_ballot_and_says_so(self, table):
        game = two_votes(table)
        hang(game, "D", Conditional("for", 303, passes=True, otherwise="against"))
        for initial in "ABC":
            game.play(initial, Vote("for", 304))

        assert came_to(game, 304)["D"] is None
        assert why(game, "D") == "Proposal 303 was still open, so this is no ballot."

    def test_two_that_wait_for_each_other_both_come_to_an_end(self, table):
        """304 closes first, and 303 is open then; when 303 closes, 304 is known: 3 of 4 for it, and adopted."""
        game = two_votes(table)
        for initial in "ABC":
            game.play(initial, Vote("for", 304))
        game.play("D", Vote(Conditional("for", 304, passes=True), 303))
        hang(game, "D", Conditional("for", 303, passes=True))
        for initial in "ABC":
            game.play(initial, Vote("for", 303))

        assert game.state.proposals[304].tally.votes_for == 3
        assert game.state.proposals[303].tally.votes_for == 4

    def test_a_withdrawn_proposal_has_not_passed(self, table):
        game = two_votes(table)
        close_303(game, "ABCD")
        for initial in "ABCD":
            hang(game, initial, "for")
        game.play("D", enact("Cake"))
        game.play("D", Withdraw(305))
        game.play("D", enact("Buns"))
        game.play("D", CallVote(306))
        game.play("A", Vote(Conditional("against", 305, passes=False), 306))
        for initial in "BCD":
            game.play(initial, Vote("for", 306))

        assert came_to(game, 306) == {"A": "against", "B": "for", "C": "for", "D": "for"}

    def test_a_ballot_on_a_proposal_cannot_hang_on_that_proposal(self, table):
        game = two_votes(table)

        with pytest.raises(Refused, match="cannot hang on its own outcome"):
            hang(game, "A", Conditional("for", 304, passes=True))

    def test_a_condition_on_a_proposal_nobody_made_is_refused(self, table):
        game = two_votes(table)

        with pytest.raises(Refused, match="no proposal 399"):
            hang(game, "A", Conditional("for", 399, passes=True))

    def test_a_dissent_with_a_condition_earns_what_a_plain_one_does(self, table):
        """203 unanimous is gone, so 204 pays: D dissents by a condition that is met, +10."""
        game = two_votes(table)
        close_303(game, "ABCD")
        before = game.score("D")
        hang(game, "D", Conditional("against", 303, passes=True))
        for initial in "ABC":
            game.play(initial, Vote("for", 304))

        assert game.score("D") - before == 10

    def test_a_ballot_that_came_to_nothing_earns_nothing(self, table):
        game = two_votes(table)
        close_303(game, "ABCD")
        before = game.score("D")
        hang(game, "D", Conditional("against", 303, passes=False))
        for initial in "ABC":
            game.play(initial, Vote("for", 304))

        assert game.score("D") == before


class TestEndorsements:
    def test_an_endorsement_is_what_the_others_ballot_is_at_the_close(self, table):
        """B says for, then against: A, who votes as B, is against. 2 of 4 for is no majority."""
        game = two_votes(table)
        hang(game, "A", AsPlayer("Bo"))
        hang(game, "B", "for")
        hang(game, "B", "against")
        hang(game, "C", "for")
        hang(game, "D", "for")

        assert came_to(game, 304) == {"A": "against", "B": "against", "C": "for", "D": "for"}
        assert why(game, "A") == "The player it names voted against."
        assert game.stage(304) == "defeated"

    def test_an_endorsement_counts_with_the_ballots_of_its_own_voter(self, table):
        """207 gives A two: A votes as B, so 2 + 1 for, and 1 against, of 5."""
        game = table(4)
        game.turn("A", amend(203, "Most decide.", adopted_when="votes_for * 2 > eligible"), "ABCD")
        game.turn("B", amend(207, "Alva has two.", ballots_each='name == "Alva Alm" ? 2 : 1'), "ABCD")
        game.play("C", enact())
        game.play("C", CallVote(303))
        game.play("A", Vote(AsPlayer("bo"), 303))
        for name, choice in (("B", "for"), ("C", "against"), ("D", "against")):
            game.play(name, Vote(choice, 303))

        tally = game.state.proposals[303].tally
        assert (tally.votes_for, tally.votes_against, tally.eligible) == (3, 2, 5)

    def test_an_endorsed_ballot_may_hang_on_something_itself(self, table):
        game = two_votes(table)
        close_303(game, "A", "BCD")
        hang(game, "B", Conditional("for", 303, passes=True, otherwise="against"))
        hang(game, "A", AsPlayer("Bo Berg"))
        hang(game, "C", AsPlayer("Alva"))
        hang(game, "D", "for")

        assert came_to(game, 304) == {"A": "against", "B": "against", "C": "against", "D": "for"}

    def test_a_circle_is_no_ballot_for_anyone_in_it_or_leading_into_it(self, table):
        game = two_votes(table)
        hang(game, "A", AsPlayer("Bo"))
        hang(game, "B", AsPlayer("Cia"))
        hang(game, "C", AsPlayer("Bo"))
        hang(game, "D", "for")

        assert came_to(game, 304) == {"A": None, "B": None, "C": None, "D": "for"}
        assert why(game, "B") == why(game, "C")
        assert why(game, "C") == "2 ballots endorse one another in a circle, so none of them counts."
        assert why(game, "A") == "The ballot of the player it names did not count, so this does not either."

    def test_whom_it_endorses_has_left_the_game_and_so_has_no_ballot(self, table):
        """D leaves, and the vote is complete without D: 2 for of 3, and A's ballot, like D's, is none."""
        game = two_votes(table)
        hang(game, "A", AsPlayer("Dan"))
        hang(game, "B", "for")
        hang(game, "C", "for")
        game.play("D", Forfeit(for_good=True))

        assert came_to(game, 304) == {"A": None, "B": "for", "C": "for"}
        assert why(game, "A") == "The player it names had no ballot, so this is none either."
        assert (game.stage(304), game.state.proposals[304].tally.eligible) == ("adopted", 3)

    @pytest.mark.parametrize("name", ["Nobody", "Alva Alm"])
    def test_only_another_voter_can_be_endorsed(self, table, name):
        game = two_votes(table)

        with pytest.raises(Refused):
            hang(game, "A", AsPlayer(name))
        assert game.state.proposals[304].ballots == Map()

    def test_whoever_joined_after_the_opening_cannot_be_endorsed(self, table):
        game = two_votes(table, 3)
        game.ask("guest", Join("Nils Nord"))

        with pytest.raises(Refused, match="The other voters are: Bo Berg, Cia Ceder"):
            hang(game, "A", AsPlayer("Nils"))


class TestTheVote:
    def test_a_ballot_of_any_kind_completes_the_vote(self, table):
        game = two_votes(table, cooling_time="2h")
        hang(game, "A", AsPlayer("Bo"))
        hang(game, "B", AsPlayer("Alva"))
        hang(game, "C", Conditional("for", 303, passes=True))
        assert game.state.proposals[304].closes is None
        hang(game, "D", "for")

        assert game.state.proposals[304].closes is not None

    def test_the_last_ballot_counts_whatever_its_kind(self, table):
        game = two_votes(table)
        hang(game, "A", AsPlayer("Bo"))
        hang(game, "A", "for")
        hang(game, "B", "against")
        hang(game, "B", AsPlayer("Alva"))
        hang(game, "C", "against")
        hang(game, "D", "against")

        assert came_to(game, 304) == {"A": "for", "B": "for", "C": "against", "D": "against"}

    def test_a_vote_for_the_rest_leaves_ballots_of_any_kind_alone(self, table):
        game = two_votes(table)
        hang(game, "A", AsPlayer("Bo"))
        game.play("A", Vote("for", "rest"))

        assert game.state.proposals[304].ballots[1].choice == Endorsement(2)
        assert game.state.proposals[303].ballots[1].choice == "for"

    def test_while_the_vote_runs_nothing_is_shown_of_it(self, table):
        game = two_votes(table)
        hang(game, "A", AsPlayer("Bo"), "304 as Bo")
        hang(game, "B", "for")

        public = views.public_proposal_json(game.state, game.state.proposals[304])
        assert public["ballots"] == {"Alva Alm": None, "Bo Berg": None}
        assert public["votes_for"] is None
        assert public["settled"] == {}
        line = views.proposal_view(game.state, 304).ballots[0]
        assert (line.voted, line.choice, line.said, line.why) == (True, None, "", None)

    def test_ballots_shown_at_once_show_the_words_and_not_what_they_will_come_to(self, table):
        game = two_votes(table, ballots_shown="at once")
        hang(game, "B", "for")
        hang(game, "A", AsPlayer("Bo"), "304 as Bo")

        line = views.proposal_view(game.state, 304).ballots[0]
        assert (line.choice, line.said, line.why) == (None, "304 as Bo", None)

    def test_the_state_shows_the_words_and_after_the_close_what_they_came_to(self, table):
        game = two_votes(table)
        hang(game, "A", AsPlayer("Bo"), "304 as Bo")
        for initial in "BCD":
            hang(game, initial, "for")

        shown = views.state_json(game.state, "")["proposals"][-1]
        assert shown["ballots"]["Alva Alm"] == "304 as Bo"
        assert shown["ballots"]["Bo Berg"] == "for"
        assert shown["settled"] == {"Alva Alm": "for"}
        assert shown["votes_for"] == 4

    def test_what_ballots_came_to_is_written_down_and_never_found_again(self, table):
        """Even if what they hung on is another thing now, the record says what counted."""
        game = two_votes(table)
        hang(game, "A", AsPlayer("Bo"))
        for initial in "BCD":
            hang(game, initial, "against")
        closed = next(fact for fact in game.facts if isinstance(fact, VoteClosed) and fact.number == 304)
        proposal = game.state.proposals[304]
        changed = Proposal(**{**_fields(proposal), "ballots": proposal.ballots.set(2, Ballot("for", 0, ""))})

        assert [voter for voter, _ in closed.ballots] == [1]
        assert ballots.settled(changed, State())[1].choice == "against"


def test_a_late_ballot_learns_when_the_vote_closed_and_while_there_is_time_how_to_call_the_result_wrong() -> (
    None
):
    game = Table(("Alva", "Bo", "Cia"))
    number = game.turn("Alva", enact(), "ABC")
    closed = game.state.proposals[number].closed
    assert closed is not None

    def late() -> Refused:
        with pytest.raises(Refused, match="closed") as refused:
            game.play("Bo", Vote("against", number))
        return refused.value

    first = late()
    assert (first.said.facts["when"], first.cure) == (closed, (Claim("…"),))
    game.now = closed + 3 * DAY - 60 * SECOND
    assert late().cure == (Claim("…"),), "three days after the close there is still time"
    assert late().cure == (), "a minute later there is none"


def test_a_ballot_on_what_was_withdrawn_is_told_of_no_result() -> None:
    game = Table(("Alva", "Bo", "Cia"))
    game.play("Alva", enact())
    game.play("Alva", Withdraw(301))
    with pytest.raises(Refused, match="closed") as refused:
        game.play("Bo", Vote("for", 301))
    assert refused.value.cure == ()


def _fields(proposal: Proposal) -> dict:
    return {name: getattr(proposal, name) for name in Proposal.__dataclass_fields__}


@pytest.mark.parametrize("choice", ["for", IF_PASSES, IF_FAILS, ELSE, Endorsement(3)])
def test_a_ballot_of_any_kind_is_read_back_from_the_log(choice):
    fact = BallotCast(304, 1, choice, "words")
    (record,) = codec.write([fact], after=0, head=codec.GENESIS, at=1, mail=None)

    assert codec.decode(record) == fact


# ---- any graph of ballots ----

VOTERS = range(1, 9)
STANCES = st.one_of(
    st.sampled_from(["for", "against"]),
    st.builds(Endorsement, st.sampled_from([*VOTERS, 99])),
    st.builds(
        Conditional,
        st.sampled_from(["for", "against"]),
        st.sampled_from([301, 302, 303]),
        st.booleans(),
        st.sampled_from([None, "for", "against"]),
    ),
)


def _closed(number: int, stage) -> Proposal:
    return Proposal(number, "enact", None, "", "", (), 1, 1, stage, 0)


STATE = State(
    proposals=Map({301: _closed(301, "adopted"), 302: _closed(302, "defeated"), 303: _closed(303, "voting")})
)


def _vote(cast: list[tuple[int, object]]) -> Proposal:
    """A vote in which these ballots came in this order."""
    box: Map[int, Ballot] = Map()
    for at, (voter, choice) in enumerate(cast):
        box = box.set(voter, Ballot(choice, at, ""))
    return Proposal(
        304, "enact", None, "", "", (), 1, 1, "voting", 0,
        electorate=Map(dict.fromkeys(VOTERS, 1)), ballots=box,
    )  # fmt: skip


def _expected(voter: int, box: dict[int, object], steps: int = 0) -> str | None:
    """The rule of the game written otherwise: who has gone on longer than there are voters is in a circle."""
    choice = box.get(voter)
    match choice:
        case Endorsement(player):
            return None if steps > len(box) else _expected(player, box, steps + 1)
        case Conditional(chosen, 301, passes, otherwise):
            return chosen if passes else otherwise
        case Conditional(chosen, 302, passes, otherwise):
            return otherwise if passes else chosen
        case Conditional():
            return None
    return choice


@given(st.dictionaries(st.sampled_from(VOTERS), STANCES), st.randoms(use_true_random=False))
def test_any_graph_of_ballots_settles_in_the_same_way_in_whatever_order_they_came(box, random):
    cast = list(box.items())
    found = ballots.settled(_vote(cast), STATE)
    random.shuffle(cast)

    assert {voter: settled.choice for voter, settled in found.items()} == {
        voter: _expected(voter, box) for voter in box
    }
    assert all(settled.why is not None for settled in found.values() if settled.choice is None)
    assert ballots.settled(_vote(cast), STATE) == found


@given(
    st.lists(st.tuples(st.sampled_from(VOTERS), STANCES)),
)
def test_only_the_last_ballot_of_each_voter_matters(cast):
    last = dict(cast)

    assert ballots.settled(_vote(cast), STATE) == ballots.settled(_vote(list(last.items())), STATE)


def test_a_chain_of_ten_thousand_endorsements_settles():
    box = {voter: Ballot(Endorsement(voter + 1), 0, "") for voter in range(10_000)}
    chain = Proposal(
        304, "enact", None, "", "", (), 1, 1, "voting", 0,
        ballots=Map({**box, 10_000: Ballot("for", 0, "")}),
    )  # fmt: skip

    assert {settled.choice for settled in ballots.settled(chain, STATE).values()} == {"for"}
