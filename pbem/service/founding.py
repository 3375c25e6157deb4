"""A new game: its first facts, its people, and the mails that invite them (`pbem new`)."""

from __future__ import annotations

import difflib
import importlib.resources
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import available_timezones

from pbem.game import clauses, vocabulary
from pbem.game.commands import Join, Start
from pbem.game.events import GameCreated
from pbem.game.model import Problem, RuleText, Say
from pbem.game.ruleset import SHIPPED, file_name, read_ruleset
from pbem.service import telling
from pbem.service.books import Books, Host, open_books
from pbem.store import eventlog, people
from pbem.store.eventlog import Privacy
from pbem.store.people import Invitation

GAME_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,29}\Z")


class NotFounded(ValueError):
    """The game cannot be made as asked; the message says why and what to write instead."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A game to be made. People are (name, address) pairs; `house` maps names of house rules or clauses to
    what was written for them; `at` is its first moment (UTC µs)."""

    game: str
    title: str
    language: str
    ruleset: str
    keeper: tuple[str, str]
    players: tuple[tuple[str, str], ...]
    house: Mapping[str, str]
    start: bool
    at: int
    privacy: Privacy = "public"


def found(host: Host, plan: Plan) -> None:
    """Makes the game, and starts it if the host vouches for the players. Raises NotFounded, making nothing."""
    if plan.game in (telling.BOUNCE, host.config.mail.name.casefold()):
        raise NotFounded(
            f"{plan.game!r} has another meaning in our addresses and subjects; choose another name"
        )
    if not GAME_NAME.match(plan.game):
        raise NotFounded(f"a game is named with a–z, 0–9 and -, at most 30 of them: not {plan.game!r}")
    _must_differ(plan.players)
    rules = load_rules(plan.ruleset, plan.language)
    house = settled_house(plan.house, host.config.zone)
    with open_books(host) as books:
        try:
            eventlog.create_game(host.store, plan.game, plan.at, plan.privacy)
        except eventlog.GameExists:
            raise NotFounded(f"there is a game called {plan.game} already") from None
        created = GameCreated(plan.game, plan.title, plan.language, plan.ruleset, rules, house)
        books.write(plan.game, [created], plan.at)
        _gather(books, plan)
        books.join_happenings()
        telling.tell(books, plan.at)


def _must_differ(players: tuple[tuple[str, str], ...]) -> None:
    """A mail must tell by its address who wrote it."""
    seen: dict[str, str] = {}
    for name, address in players:
        if address in seen:
            raise NotFounded(
                f"{seen[address]} and {name} have one address, {address}: each player needs their own"
            )
        seen[address] = name


def _gather(books: Books, plan: Plan) -> None:
    """The people: seated at once when the game starts on the host's word, else invited."""
    store = books.host.store
    people.sit(store, plan.game, _person(books, *plan.keeper), "keeper")
    for name, address in plan.players:
        person = _person(books, name, address)
        if plan.start:
            seat(books, plan.game, person, name, plan.at, keeps=address == plan.keeper[1])
        else:
            people.invite(store, Invitation(plan.game, address, name, plan.at))
    if plan.start:
        books.ask(plan.game, Start(), "keeper", plan.at)
    else:
        telling.invite(books, plan.game, plan.at)


def seat(books: Books, game: str, person: int, name: str, at: int, *, keeps: bool) -> None:
    """Gives a person a seat under a name; `keeps`: they are the keeper. Raises Refused."""
    happening = books.ask(game, Join(name, keeps=keeps), "guest", at)
    people.sit(books.host.store, game, person, "player", max(happening.after.players))


def _person(books: Books, name: str, address: str) -> int:
    known = people.person_by_address(books.host.store, address)
    return known.id if known else people.add_person(books.host.store, name, address)


def load_rules(ruleset: str, language: str) -> tuple[RuleText, ...]:
    """The rules of a shipped set (by name) or of a file (by path). Raises NotFounded naming every fault."""
    rules, problems = read_ruleset(_rules_text(ruleset, language))
    if problems:
        raise NotFounded(f"{ruleset} has faults:\n" + "\n".join(map(_fault, problems)))
    return rules


def _rules_text(ruleset: str, language: str) -> str:
    if ruleset in SHIPPED:
        name = file_name(ruleset, "sv" if language == "sv" else "en")
        return (importlib.resources.files("pbem.game.rulesets") / name).read_text("utf-8")
    try:
        return Path(ruleset).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(SHIPPED)
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise NotFounded(
            f"there is no ruleset {ruleset!r} ({reason}); write {known} or the name of a file"
        ) from None


def _fault(problem: Problem) -> str:
    cure = f" Try: {problem.cure[0]}" if problem.cure else ""
    return f"  line {problem.line}: {problem.why}{cure}"


def settled_house(asked: Mapping[str, str], zone: str) -> tuple[tuple[str, str], ...]:
    """The house rules of a new game as (name, CEL): the defaults, with what was asked for in their place.

    Raises NotFounded with the nearest name for an unknown one, and for a value that does not fit.
    """
    settled = {quantity.name: value for quantity, value in vocabulary.HOUSE_RULES} | {"zone": zone}
    for words, value in asked.items():
        name = vocabulary.clause_name(words)
        if name is None:
            raise NotFounded(
                f"there is no house rule or clause called {words!r}; did you mean {vocabulary.nearest_clause(words)!r}?"
            )
        settled[name] = value
    return tuple((name, _fitting(name, value)) for name, value in settled.items())


def _fitting(name: str, value: str) -> str:
    if name == "zone" and value not in available_timezones():
        nearest = difflib.get_close_matches(value, available_timezones(), n=1, cutoff=0.0)[0]
        raise NotFounded(f"there is no time zone {value!r}; did you mean {nearest!r}?")
    compiled = clauses.compiled(name, clauses.normal(name, value))
    if isinstance(compiled, Say):
        raise NotFounded(f"{name}={value}: {compiled}")
    return compiled.expression


def parse_settings(pairs: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` texts as a mapping. Raises NotFounded for one without `=`."""
    settings = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise NotFounded(f"write NAME=VALUE, for instance 'cooling time=0': not {pair!r}")
        settings[name.strip()] = value.strip()
    return settings
