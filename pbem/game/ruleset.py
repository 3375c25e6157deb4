"""Rulesets: the text of a set of rules, read into rules with their clauses and a list of everything wrong with it.

What lives here: the format (Markdown; `# Immutable`, `# Mutable`; one `## 203 Title` a rule; clause lines) and the
reading of a clause line, wherever it was written. What never may: opening a file, or a rule of any set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from pbem.game.clauses import compiled
from pbem.game.model import Clause, ClauseName, Problem, RuleText, Say, say
from pbem.game.vocabulary import clause_name, nearest_clause

SHIPPED: tuple[str, ...] = ("suber", "suber1990")
"""The sets that come with the server, as a host names them; the first is the default."""

_PLAIN = str.maketrans(dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛′", "'") | {"\u00a0": " "})
_CLAUSE_OPENING = re.compile(r"\A\s*(?:[*-]\s+)?(?:clause|klausul)\s", re.IGNORECASE)
_CLAIM = re.compile(r"\s(over|under|över)\b", re.IGNORECASE)
_TARGET_LINK = re.compile(r"[\s,]+|\b(?:and|och|rules?|regel|regler)\b")
_MUTABLE = {"immutable": False, "oföränderliga": False, "mutable": True, "föränderliga": True}

_NUMBER = "[1-9][0-9]{0,5}"
_SECTION = re.compile(rf"#\s*({'|'.join(_MUTABLE)})(?: rules| regler)?\Z", re.IGNORECASE)
_RULE_HEADING = re.compile(rf"##\s*({_NUMBER})(?:[.:]?\s+(\S.*)|[.:]?)\Z")
# A number after three # or more is a rule set one level too deep; other deep headings belong to a rule's text.
_HEADING = re.compile(rf"#{{1,2}}(?!#)|#+\s*{_NUMBER}\b")
_BESIDE_TITLE = re.compile(r"[#\d.:\s]+|\b(?:rule|regel)\b", re.IGNORECASE)


def file_name(ruleset: str, language: Literal["sv", "en"]) -> str:
    """The file of a shipped set among the resources of `pbem.game.rulesets`: `suber-sv.md`."""
    return f"{ruleset}-{language}.md"


def is_clause_line(line: str) -> bool:
    """Whether a clause begins on this line (`clause …`, `klausul …`; a bullet before it does not matter)."""
    return _CLAUSE_OPENING.match(line) is not None


def read_clause(line: str) -> Clause | Say:
    """The clause written on one line, or what is wrong with it.

    `clause NAME: EXPRESSION`, with claims (211) after the name: `clause NAME over 203, mutable under 211: …`.
    The name may be English or Swedish; typographic quotes become plain. The expression is not compiled.
    """
    said, colon, expression = _CLAUSE_OPENING.sub("", line.translate(_PLAIN), count=1).partition(":")
    words, *claims = _CLAIM.split(said)
    if not (colon and words.strip() and expression.strip()):
        return say("A clause is written `clause NAME: EXPRESSION`.")
    name = clause_name(words)
    if name is None:
        return say(
            "No clause is called “%(name)s”. Did you mean “%(nearest)s”?",
            name=words.strip(),
            nearest=nearest_clause(words),
        )
    return _claiming(Clause(name, expression.strip()), claims)


def _claiming(clause: Clause, claims: list[str]) -> Clause | Say:
    """`clause` with its claims, which alternate between a claiming word and what that word names."""
    for word, named in zip(claims[::2], claims[1::2], strict=True):
        targets = _targets(named)
        if not targets:
            return say(
                "“%(said)s” does not say which rules. Write a rule's number, `mutable` or `immutable`.",
                said=f"{word} {named.strip()}".strip(),
            )
        if word.casefold() == "under":
            clause = replace(clause, under=clause.under + targets)
        else:
            clause = replace(clause, over=clause.over + targets)
    return clause


def write_clause(clause: Clause) -> str:
    """The clause as `read_clause` reads it, in English and without the word `clause` before it."""
    claims = ((" over ", clause.over), (" under ", clause.under))
    named = "".join(word + ", ".join(targets) for word, targets in claims if targets)
    return f"{clause.name}{named}: {clause.expression}"


def _targets(named: str) -> tuple[str, ...]:
    """The rules and kinds of rule in `203, 204 and mutable`; none if a word of it is neither."""
    words = [word for word in _TARGET_LINK.split(named.casefold()) if word]
    if not all(word in _MUTABLE or re.fullmatch(_NUMBER, word) for word in words):
        return ()
    return tuple(("immutable", "mutable")[_MUTABLE[word]] if word in _MUTABLE else word for word in words)


def cut_clauses(lines: Iterable[str]) -> tuple[str, tuple[tuple[int, str], ...]]:
    """A rule's prose, and each of its clauses on one line with the index in `lines` (0 the first) where it begins.

    A clause goes on until an empty line or the next clause.
    """
    prose: list[str] = []
    clauses: list[tuple[int, str]] = []
    in_clause = False
    for index, line in enumerate(lines):
        if is_clause_line(line):
            clauses.append((index, line.strip()))
            in_clause = True
        elif in_clause and line.strip():
            begun, said = clauses.pop()
            clauses.append((begun, f"{said} {line.strip()}"))
        else:
            in_clause = False
            prose.append(line)
    return "\n".join(prose).strip(), tuple(clauses)


def read_ruleset(text: str) -> tuple[tuple[RuleText, ...], tuple[Problem, ...]]:
    """The rules of a set in the order written, and everything wrong with it in the order of its lines.

    A set with a problem is not fit to be played. What stands before the first section is for the
    reader and part of no rule. Every clause is compiled, with the counters that any rule declares.
    """
    parts = _parts(text)
    reading = _Reading(highest=max((int(found[1]) for part in parts if (found := part.rule)), default=100))
    for part in parts:
        reading.take(part)
    reading.compile_clauses()
    if not (reading.rules or reading.problems):
        reading.fault(1, "", say("There is no rule in this text."), "# Immutable", "## 101 TITLE")
    return tuple(reading.rules), tuple(sorted(reading.problems, key=lambda problem: problem.line))


def lines(text: str) -> list[str]:
    """The lines of a set, whatever system it was written on; the first is line 1."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def places(text: str) -> Mapping[tuple[int, str], int]:
    """The line (1 is the first) of each rule of a set, by (number, ""), and of its clauses, by (number, name)."""
    found: dict[tuple[int, str], int] = {}
    for part in _parts(text):
        if part.rule is None:
            continue
        number = int(part.rule[1])
        found.setdefault((number, ""), part.line)
        for index, said in cut_clauses(part.body)[1]:
            clause = read_clause(said)
            if isinstance(clause, Clause):
                found.setdefault((number, clause.name), part.line + 1 + index)
    return found


class _Part(NamedTuple):
    """A heading (none before the first) and the lines under it; `line` is the number of the heading's own."""

    line: int
    heading: str
    body: list[str]

    @property
    def rule(self) -> re.Match[str] | None:
        return _RULE_HEADING.match(self.heading)

    @property
    def is_title(self) -> bool:
        return not self.heading.startswith("##")


def _parts(text: str) -> list[_Part]:
    parts = [_Part(0, "", [])]
    for line, words in enumerate(lines(text), start=1):
        if _HEADING.match(words):
            parts.append(_Part(line, words.replace("\u00a0", " ").strip(), []))
        else:
            parts[-1].body.append(words)
    return parts


@dataclass(slots=True)
class _Reading:
    """A set half read. `section` tells whether rules here are mutable; `highest` is the highest number in use."""

    highest: int
    section: bool | None = None
    rules: list[RuleText] = field(default_factory=list)
    lines: dict[int, int] = field(default_factory=dict)
    clauses: list[tuple[int, str, Clause]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def fault(self, line: int, said: str, why: Say, *cure: str) -> None:
        self.problems.append(Problem(line, said, why, cure))

    def free_number(self) -> int:
        self.highest += 1
        return self.highest

    def take(self, part: _Part) -> None:
        section = _SECTION.match(part.heading)
        if section:
            self.section = _MUTABLE[section[1].casefold()]
            self.refuse_homeless_text(part)
        elif part.rule:
            self.take_rule(part, int(part.rule[1]), part.rule[2] or "")
        elif not part.is_title:
            self.refuse_rule_heading(part)
        elif self.section is not None:
            why = say("This is no section. Rules stand under `# Immutable` or `# Mutable`.")
            self.fault(part.line, part.heading, why, "# Immutable", "# Mutable")

    def take_rule(self, part: _Part, number: int, title: str) -> None:
        self.refuse_double_number(part, number, title)
        self.refuse_missing_section(part, number)
        text, clauses = self.body(part)
        if not text:
            why = say("Rule %(number)d has no text. Write it under this line.", number=number)
            self.fault(part.line, part.heading, why)
        self.lines.setdefault(number, part.line)
        self.rules.append(RuleText(number, bool(self.section), title, text, clauses))

    def body(self, part: _Part) -> tuple[str, tuple[Clause, ...]]:
        text, written = cut_clauses(part.body)
        clauses: dict[str, Clause] = {}
        for index, said in written:
            line, clause = part.line + 1 + index, read_clause(said)
            if isinstance(clause, Say):
                self.fault(line, said, clause)
            elif clause.name in clauses:
                name = ClauseName(clause.name)
                why = say("This rule carries “%(name)s” already. Keep one of the two.", name=name)
                self.fault(line, said, why)
            else:
                clauses[clause.name] = clause
                self.clauses.append((line, said, clause))
        return text, tuple(clauses.values())

    def compile_clauses(self) -> None:
        named = {clause.name for _, _, clause in self.clauses}
        counters = sorted(name.removeprefix("counter ") for name in named if name.startswith("counter "))
        for line, said, clause in self.clauses:
            verdict = compiled(clause.name, clause.expression, tuple(counters))
            if isinstance(verdict, Say):
                self.fault(line, said, verdict)

    def refuse_double_number(self, part: _Part, number: int, title: str) -> None:
        if number in self.lines:
            why = say("Number %(number)d is taken on line %(line)d.", number=number, line=self.lines[number])
            self.fault(part.line, part.heading, why, f"## {self.free_number()} {title}".strip())

    def refuse_missing_section(self, part: _Part, number: int) -> None:
        if self.section is None:
            why = say(
                "Rule %(number)d stands in no section. Write `# Immutable` or `# Mutable` above it.",
                number=number,
            )
            self.fault(part.line, part.heading, why, "# Immutable", "# Mutable")
            self.section = False  # said once; the rules after it are in the same place

    def refuse_rule_heading(self, part: _Part) -> None:
        found = re.search(_NUMBER, part.heading)
        number = found[0] if found else str(self.free_number())
        title = " ".join(_BESIDE_TITLE.sub(" ", part.heading).split())
        why = say("A rule's heading is written `## NUMBER TITLE`.")
        self.fault(part.line, part.heading, why, f"## {number} {title}".strip())
        self.body(part)

    def refuse_homeless_text(self, part: _Part) -> None:
        lost = [(line, words.strip()) for line, words in enumerate(part.body, part.line + 1) if words.strip()]
        if lost:
            why = say("This text is in no rule. Put it under a rule's heading, or above the first section.")
            self.fault(*lost[0], why)
