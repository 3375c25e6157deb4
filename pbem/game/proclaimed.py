"""The log of the keeper's word about the game itself in words: each fact as a sentence.

What lives here: sentences, by kind of fact. What never may: other facts (chronicle.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.game import events
from pbem.game.errata import because
from pbem.game.model import Moment, Names, Say, say
from pbem.game.state import State


def _game_paused(_: State, fact: events.GamePaused) -> Say:
    return because(say("The keeper pauses the game: no deadline passes until it goes on."), fact.why)


def _game_resumed(_: State, fact: events.GameResumed) -> Say:
    going = say(
        "The game goes on. It stood still from %(since)s to %(until)s, and each open deadline is later by that.",
        since=Moment(fact.since),
        until=Moment(fact.until),
    )
    return because(going, fact.why)


def _game_continued(state: State, fact: events.GameContinued) -> Say:
    names = Names(state.players[player].name for player in fact.winners)
    going = say("The game is played on after the win of %(names)s. The scores stay as they are.", names=names)
    return because(going, fact.why)


def _winners_freed(state: State, fact: events.WinnersFreed) -> Say:
    names = Names(state.players[player].name for player in fact.players)
    return say(
        "What wins the game no longer holds for %(names)s, who won before and can now win anew.", names=names
    )


def earlier_wins(state: State, player: int | None = None) -> tuple[Say, ...]:
    """Who won in which turn before the game was played on, the first win first; of one player, those with them among the
    winners."""
    return tuple(
        say("%(names)s won in turn %(turn)d, and the game was played on.", names=names, turn=won.turn)
        for won in state.earlier_wins
        if player in (None, *won.players)
        and (names := Names(state.name(player, won.at) for player in won.players))
    )


def _game_called_off(_: State, fact: events.GameCalledOff) -> Say:
    return because(say("The keeper ends the game. Nobody has won it."), fact.why)


def _keeper_seated(state: State, fact: events.KeeperSeated) -> Say:
    return say("%(name)s, who keeps the game, plays in it.", name=state.players[fact.player].name)


def _spoken_for(state: State, fact: events.SpokenFor) -> Say:
    name = state.players[fact.player].name
    if not fact.said:
        return say("The keeper votes in the place of %(name)s, who is told.", name=name)
    return say("The keeper says for %(name)s, who is told: “%(words)s”", name=name, words=fact.said)


def _guest_invited(_: State, fact: events.GuestInvited) -> Say:
    return because(say("The keeper invites somebody to play."), fact.why)


def _player_admitted(state: State, fact: events.PlayerAdmitted) -> Say:
    name = state.players[fact.player].name
    return because(say("By the keeper’s word %(name)s has a seat in the game.", name=name), fact.why)


def _address_changed(state: State, fact: events.AddressChanged) -> Say:
    name = state.players[fact.player].name
    return because(say("The keeper changes where mails to %(name)s go.", name=name), fact.why)


def standing(state: State) -> Say | None:
    """That the game stands still or is over by the keeper's word, since when and why; None if it is neither."""
    if state.pause is not None:
        paused = say(
            "The game has been paused since %(since)s. No deadline passes and no vote closes until the keeper lets it go on; "
            "ballots and words are taken meanwhile.",
            since=Moment(state.pause.since),
        )
        return because(paused, state.pause.why)
    if state.called_off is not None:
        return because(say("The keeper has ended the game. Nobody has won it."), state.called_off)
    return None


def of_turn(state: State, turn: int) -> tuple[Say, ...]:
    """The pauses that were over between the end of the turn before and the end of this one."""
    before = state.turns.get(turn - 1)
    since, until = (before.ended if before else None) or 0, state.turns[turn].ended or state.at
    over = ((pause, pause.until) for pause in state.pauses if pause.until is not None)
    return tuple(
        because(
            say(
                "The game stood still from %(since)s to %(until)s.",
                since=Moment(pause.since),
                until=Moment(end),
            ),
            pause.why,
        )
        for pause, end in over
        if since < end <= until
    )


SENTENCES: dict[type[Any], Callable[[State, Any], Say]] = {
    events.GamePaused: _game_paused,
    events.GameResumed: _game_resumed,
    events.GameContinued: _game_continued,
    events.WinnersFreed: _winners_freed,
    events.GameCalledOff: _game_called_off,
    events.KeeperSeated: _keeper_seated,
    events.SpokenFor: _spoken_for,
    events.GuestInvited: _guest_invited,
    events.PlayerAdmitted: _player_admitted,
    events.AddressChanged: _address_changed,
}
