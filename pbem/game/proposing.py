"""Proposals up to the vote (103, 106, 108, 111): made, revised, debated, withdrawn, put to the vote."""

from __future__ import annotations

from pbem.game import changes, consent, judgment, regulation, scoring, turns, voting
from pbem.game.changes import Change
from pbem.game.commands import By, CallVote, Propose, Revise, Speak, Withdraw
from pbem.game.events import Posted, ProposalMade, ProposalRevised, ProposalWithdrawn, VoteOpened
from pbem.game.model import Moment, Player, Refused, say
from pbem.game.move import Move
from pbem.game.proposals import Proposal
from pbem.game.state import State


def propose(move: Move, asked: Propose, by: By) -> None:
    """A rule change by the player on turn (202); the turn begins with it if it had not begun."""
    move.must_play()
    player = move.seat(by)
    _may_propose(move.state, player)
    changes.must_agree(move.state, asked)
    change = changes.judge(move.state, asked)
    if not move.state.in_turn:
        _must_be_past_disputes(move)
        consent.must_be_reached(move.state)
        turns.begin(move)
    make(move, player.id, change)


def make(move: Move, player: int, change: Change) -> None:
    """The change is proposed; what is given for that, is given."""
    move.record(
        ProposalMade(
            number=next_number(move.state),
            kind=change.kind,
            target=change.target.number if change.target else None,
            title=change.title,
            text=change.text if change.kind in changes.WITH_TEXT else "",
            clauses=change.clauses if change.kind in changes.WITH_TEXT else (),
            player=player,
            until=regulation.deadline(move.state, "debate time", move.at),
            remarks=change.remarks,
        )
    )
    proposal = move.state.proposals[move.state.last_number]
    scoring.happened(move, ("proposed",), {"proponent": (player,)}, proposal)


def next_number(state: State) -> int:
    """The number of the next proposal (108): one above any yet used, from the first number the rules give."""
    first = regulation.ask(state, "first number")
    highest = max(state.rulebook.numbers, default=0)
    return max(state.last_number + 1, highest + 1, int(first.value) if first else 1)


def _may_propose(state: State, player: Player) -> None:
    asking = regulation.ask(state, "who may propose", facts=regulation.player_facts(state, player))
    anyone = asking is not None and asking.value == "anyone"
    if state.on_turn != player.id and not (anyone and state.in_turn):
        on_turn = state.players.get(state.on_turn or 0)
        raise Refused(
            "It is not your turn: %(name)s is on turn. Your proposal was not taken and used no number.",
            rule=asking.rule if asking else None,
            name=on_turn.name if on_turn else "–",
        )
    if state.on_turn == player.id:
        _must_have_room(state, player)


def _must_be_past_disputes(move: Move) -> None:
    """The next turn does not begin before the time for disputes over the last one is over (212)."""
    opens = turns.opens(move.state)
    if opens is not None and move.at < opens:
        raise Refused(
            "The next turn begins %(when)s, when the time for disputes is over.", when=Moment(opens)
        )


def _must_have_room(state: State, player: Player) -> None:
    made = [state.proposals[number] for number in state.turns[state.turn].proposals] if state.in_turn else []
    counted = sum(p.proponent == player.id and p.stage not in ("withdrawn", "void") for p in made)
    if counted >= (most := regulation.allowance(state, player)):
        why = _SEVERAL_MADE if most > 1 else _ONE_MADE if most == 1 else _NONE_ALLOWED
        raise Refused(why.text, rule=regulation.rule_for(state, "proposals per turn"), most=most)


def revise(move: Move, asked: Revise, by: By) -> None:
    """The proponent gives the proposal its final form while the debate lasts (111)."""
    proposal = _own(move, asked.number, by)
    _must_be_debated(proposal, regulation.rule_for(move.state, "text kept"))
    if proposal.kind not in changes.WITH_TEXT:
        raise Refused("Proposal %(number)d has no text to revise.", number=proposal.number)
    title = asked.title or proposal.title
    again = Propose(proposal.kind, proposal.target, title, asked.text, asked.clauses, asked.carry)
    change = changes.judge(move.state, again, asked)
    move.record(ProposalRevised(proposal.number, change.title, change.text, change.clauses, change.remarks))


def withdraw(move: Move, asked: Withdraw, by: By) -> None:
    """The proponent takes the proposal back while the debate lasts; its number is spent (108)."""
    proposal = _own(move, asked.number, by)
    _must_be_debated(proposal, regulation.rule_for(move.state, "text kept"))
    move.record(ProposalWithdrawn(proposal.number))
    turns.settle(move)


def call_vote(move: Move, asked: CallVote, by: By) -> None:
    """The proponent ends the debate (111); from now on the text is frozen (106)."""
    proposal = _own(move, asked.number, by)
    _must_be_debated(proposal, regulation.rule_for(move.state, "text kept"))
    open_vote(move, proposal)


def open_vote(move: Move, proposal: Proposal) -> None:
    """The vote opens, for everyone who may vote now (105)."""
    until = regulation.deadline(move.state, "voting time", move.at)
    move.record(VoteOpened(proposal.number, regulation.electorate(move.state), until))
    voting.complete(move, proposal.number)


def speak(move: Move, asked: Speak, by: By) -> None:
    """Words to the debate of a proposal, or to the table."""
    author = None if by == "keeper" else move.seat(by).id
    if asked.number is not None:
        move.proposal(asked.number)
    if asked.case is not None:
        judgment.numbered(move.state, asked.case)
    move.record(Posted(asked.number, author, asked.text, asked.case))


def _own(move: Move, number: int | None, by: By) -> Proposal:
    """The asker's own proposal; the only one in debate when no number was said."""
    move.must_go_on()
    player = move.seat(by)
    if number is None:
        number = _only_one(move.state, player)
    proposal = move.proposal(number)
    if proposal.proponent != player.id:
        raise Refused(
            "Proposal %(number)d is %(name)s’s; only its proponent decides its text and the end of the debate.",
            number=number,
            name=move.state.players[proposal.proponent].name,
        )
    return proposal


def _only_one(state: State, player: Player) -> int:
    own = [p.number for p in state.open_proposals if p.proponent == player.id and p.stage == "debate"]
    if len(own) == 1:
        return own[0]
    if not own:
        raise Refused("You have no proposal in debate.")
    raise Refused("You have several proposals in debate. Say which.", cure=tuple(CallVote(n) for n in own))


def _must_be_debated(proposal: Proposal, frozen_by: int | None) -> None:
    """Raises Refused, by the rule that keeps the text (106), once the vote is open."""
    if proposal.stage == "debate":
        return
    if proposal.stage == "voting":
        raise Refused(
            "The vote on proposal %(number)d is open, so its text is frozen.",
            rule=frozen_by,
            number=proposal.number,
        )
    raise Refused("Proposal %(number)d is closed.", number=proposal.number)


_SEVERAL_MADE = say("A turn holds %(most)d of your proposals, and you have made them.")
_ONE_MADE = say("A turn holds one proposal of yours, and you have made it.")
_NONE_ALLOWED = say("The rules let you make no proposal in your turn.")
