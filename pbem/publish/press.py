"""A game about to be printed: what its pages share, and what was printed before and serves again.

What lives here: the frame, the press, and its memory. What never may: which pages there are, or what they show.
A template is given the frame and what its page's key covers, never the state: so a page whose key stayed equal
cannot have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from types import SimpleNamespace
from typing import Any, Final

from markupsafe import Markup

from pbem.game import regulation
from pbem.game.model import Player, Say
from pbem.game.state import State
from pbem.publish.lists import Blocks, Long, Thing, fifties, together, with_lists
from pbem.publish.page import Page, Shelf, SiteView, mark, part_of
from pbem.publish.versions import Standing
from pbem.render import Printer, parts

_AGAIN_AND_AGAIN: Final = ("running", "rule", "proposal", "turn", "seat", "when")
"""Macros that many pages call with the same numbers."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What any page of a game may show. When it changes, every page is printed again.

    `seats` are the players by id, known by their names alone; `playing`: rules can be changed by proposal now; `paused`: no
    deadline passes; `keeper` is the seat of the keeper, if they play;
    `cases`: somebody has gone to judgment.
    """

    game: str
    title: str
    language: str
    zone: str
    playing: bool
    paused: bool
    keeper: int | None
    cases: bool
    seats: Mapping[int, Player]
    site: SiteView

    def name(self, player: int, at: int) -> str:
        """The name of whoever had that seat at a moment (UTC µs)."""
        return self.seats[player].name_at(at)


def frame(state: State, site: SiteView) -> Frame:
    """The frame of a game's pages."""
    seats = {key: Player(key, player.name, before=player.before) for key, player in state.players.items()}
    return Frame(
        state.game,
        state.title,
        state.language,
        regulation.zone(state),
        state.status == "playing",
        state.pause is not None,
        state.keeper,
        bool(state.docket.cases),
        seats,
        site,
    )


@dataclass
class Memory:
    """What serves again the next time a game is printed: which pages stand on the disk, and parts of pages, by where they
    stand, with what they were made from. The parts are all of one frame."""

    standing: Standing = field(default_factory=Standing)
    frame: Frame | None = None
    parts: dict[Hashable, tuple[object, Any]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many parts there are."""
        return len(self.parts)


class Press:
    """Prints the pages of a game in one state."""

    def __init__(
        self,
        state: State,
        site: SiteView,
        printer: Printer,
        memory: Memory | None = None,
        ends: Sequence[int] = (),
    ) -> None:
        """`ends` are the moments (UTC µs) at which the parts of the archive end, but for the last one."""
        self.state = state
        self.printer = printer
        self._memory = Memory() if memory is None else memory
        self._ends = ends
        self.letter = partial(_letter, ends)
        now = frame(state, site)
        if self._memory.frame != now:
            self._memory.frame = now
            self._memory.parts.clear()
        # The very frame that earlier keys hold, so that they are compared at a glance.
        self.frame = self._memory.frame or now
        self._macros: dict[str, Any] = {}
        self._lists: dict[str, Long] = {}

    def page(self, path: str, template: str, key: object, view: Callable[[], Mapping[str, Any]]) -> Page:
        """A page that will show `view()`, made from what `key` holds and the frame.

        E.g. `page("turns/5/index.html", "turn.html", turn, lambda: {"turn": turn})`.
        """
        here = "../" * path.count("/")

        return Page(
            path, (self.frame, key), lambda: self.whole(self._print(template, {"here": here, **view()}))
        )

    def whole(self, text: str) -> bytes:
        """The text of a page in UTF-8, with the lists that stand in it."""
        return with_lists(text, self._lists)

    def part(
        self, template: str, slot: Hashable, value: object, view: Callable[[], Mapping[str, Any]]
    ) -> Markup:
        """A part of a page, printed again only when `value`, all that `view()` is made from, is no longer what stood in
        this slot of the template."""
        printed: Markup = self.kept(
            (template, slot),
            value,
            lambda: Markup(self._print(template, view())),  # noqa: S704  # our own printer
        )
        return printed

    def of_the_last(self, last: bool, slot: Hashable, value: object, printed: Callable[[], Markup]) -> Markup:
        """An entry of a page in a row of them. The last page will be printed again, and its entries are kept; of the others
        there are as many as the game is long."""
        entry: Markup = self.kept(slot, value, printed) if last else printed()
        return entry

    def way_to_the_last(self, part: str, last: int) -> Page:
        """Where the contents lead to: a page that only leads on to the last in a row of them, for as long as that is it."""
        return self.page(f"{part}/index.html", "last.html", last, lambda: {"part": part, "last": last})

    def kept(self, slot: Hashable, value: object, make: Callable[[], Any]) -> Any:
        """What `make()` makes from `value`, made again only when another value stood in the slot. If it then is what it
        was, it is the very thing of before, so that what is made from it is compared at a glance."""
        held = self._memory.parts.get(slot)
        if held is None or not (held[0] is value or held[0] == value):
            made = make()
            held = (value, held[1] if held is not None and held[1] == made else made)
            self._memory.parts[slot] = held
        return held[1]

    def before(self, slot: Hashable) -> Any:
        """What stands in the slot from before; None if nothing does."""
        held = self._memory.parts.get(slot)
        return None if held is None else held[1]

    def together(self, slot: Hashable, numbers: Sequence[int], things: Sequence[Thing]) -> Blocks[Thing]:
        """The things by fifties of their numbers; the very tuples of before where nothing changed."""
        return [
            (place, self.kept((slot, place), held, partial(_itself, held)))
            for place, held in together(numbers, things)
        ]

    def listed(
        self,
        slot: Hashable,
        blocks: Iterable[tuple[int, tuple[Thing, ...]]],
        part: Callable[[Thing], Any],
        between: str = "",
        join: Callable[[Iterable[Any], str], str] = parts,
    ) -> Long:
        """The parts of things one after the other, for a page. A thing is all that its part is made from; those around
        one that changed are joined again, and no others."""
        pieces = tuple(
            [
                self.kept((slot, place), held, partial(_joined, join, part, held, between))
                for place, held in blocks
                if held
            ]
        )
        made = Long(len(self._lists), pieces, between.encode())
        self._lists[str(made)] = made
        return made

    def shelves(
        self,
        name: str,
        numbers: Sequence[int],
        things: Sequence[Thing],
        pages: Callable[[int, Thing], Iterable[Page]],
    ) -> Iterator[Shelf]:
        """The pages of things, each under its number; the numbers go up. Number and thing are all that pages depend on."""
        for place, part in fifties(numbers):
            held = tuple(numbers[part]), tuple(things[part])
            yield Shelf((name, place), (self.frame, held), partial(_all, pages, held))

    def absolute(self, path: str) -> str:
        """The address of a page of the game, for what is read elsewhere; the site must have one."""
        return f"{self.frame.site.url}{self.frame.game}/{path}"

    def told(self, said: Say) -> str:
        """A sentence in the game's language."""
        return self.printer.sentence(said, language=self.frame.language, zone=self.frame.zone)

    def gap(self, said: Say) -> str:
        """What a reader is to put words of their own in the place of; sent as it stands, the server asks for them."""
        return f"<{self.told(said)}>"

    def _print(self, template: str, view: Mapping[str, Any]) -> str:
        frame = self.frame
        shown = {"frame": frame, "site": frame.site, "archived": self.letter, **view}
        if ".txt" in template:
            return self.printer.text(f"site/{template}.j2", shown, language=frame.language, zone=frame.zone)
        shown["put"] = self.macros(view["here"])
        return self.printer.html(f"site/{template}.j2", shown, language=frame.language, zone=frame.zone)

    def macros(self, here: str) -> Any:
        """The macros of `parts.html`, whose links lead from pages at `here`."""
        if here not in self._macros:
            macros = self.kept(("macros", here), self._ends, partial(self._made_macros, here))
            again = {name: lru_cache(8_192)(macros[name]) for name in _AGAIN_AND_AGAIN}
            self._macros[here] = SimpleNamespace(**{**macros, **again})
        return self._macros[here]

    def _made_macros(self, here: str) -> dict[str, Callable[..., Markup]]:
        # Nothing of what they know leads to the memory they are kept in: such a ring would outlive its last use.
        frame = self.frame
        shared = {"frame": frame, "site": frame.site, "archived": self.letter, "here": here}
        return self.printer.macros("site/parts.html.j2", shared, language=frame.language, zone=frame.zone)


def _letter(ends: Sequence[int], at: int, mail: str | None) -> str:
    """Where the mail of that moment and SHA-256 stands in the archive, for good; "" for what no mail brought."""
    return f"archive/{part_of(ends, at)}/index.html#{mark(mail)}" if mail else ""


def _itself(things: tuple[Thing, ...]) -> tuple[Thing, ...]:
    return things


def _joined(
    join: Callable[[Iterable[Any], str], str],
    part: Callable[[Thing], Any],
    things: tuple[Thing, ...],
    between: str,
) -> bytes:
    return join(map(part, things), between).encode()


def _all(
    pages: Callable[[int, Thing], Iterable[Page]], held: tuple[tuple[int, ...], tuple[Thing, ...]]
) -> Iterator[Page]:
    return chain.from_iterable(map(pages, *held))
