"""The command line as a contract: names, exit codes, sentences and the shapes of JSON that programs are written against."""

from __future__ import annotations

import json
import mailbox
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import NoneType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pbem.cli import main
from tests.flow.post import SETTINGS

COMMANDS = (
    *("demo", "init", "new", "deliver", "tick", "do", "show", "list", "state", "verify", "explain"),
    *("publish", "serve", "poll", "send", "work"),
)
ALICE, BO, CIA = (
    "Alice Ahlgren <alice@ahlgren.example>",
    "Bo Berg <bo@berg.example>",
    "Cia Crane <cia@crane.example>",
)
KEEPER = "Kim Kvist <kim@kvist.example>"
MORNING = "2026-12-01T08:00Z"
TEA = "propose enact: Tea\nTea is served at four.\nend\n\ncall vote\n"
ADOPTED = (
    ("Alice Ahlgren", TEA),
    ("Alice Ahlgren", "for 301"),
    ("Bo Berg", "for 301"),
    ("Cia Crane", "for 301"),
)


class Cli:
    """The command line in a folder with settings of its own."""

    def __init__(self, folder: Path, like: Path | None = None) -> None:
        """`like` is the folder of another one, from which this one goes on."""
        self.folder = folder
        if like is None:
            (folder / "pbem.toml").write_text(SETTINGS, "utf-8")
        else:
            shutil.copytree(like, folder, symlinks=True, dirs_exist_ok=True)

    def __call__(self, *arguments: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(main, ["--config", str(self.folder / "pbem.toml"), *arguments], input=stdin)

    def done(self, *arguments: str, stdin: bytes | None = None) -> str:
        """What a command prints that succeeds."""
        result = self(*arguments, stdin=stdin)
        assert result.exit_code == 0, result.output
        return result.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.done(*arguments, "--json"))

    def fails(self, code: int, *arguments: str, stdin: bytes | None = None) -> str:
        """The sentence on standard error of a command that fails."""
        result = self(*arguments, stdin=stdin)
        assert result.exit_code == code, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        assert result.stderr.strip(), "it says why"
        return result.stderr

    def file(self, name: str, content: bytes) -> str:
        (self.folder / name).write_bytes(content)
        return str(self.folder / name)

    def new(self, *more: str, game: str = "kaffe") -> str:
        people = ("--keeper", KEEPER, "--player", ALICE, "--player", BO, "--player", CIA)
        return self.done(
            "new",
            game,
            "--title",
            "Kaffe",
            *people,
            "--set",
            "cooling time=0",
            "--start",
            "--at",
            MORNING,
            *more,
        )

    def play(self, *steps: tuple[str, str]) -> None:
        """Players say something, a minute apart, from nine o'clock on."""
        for minute, (name, words) in enumerate(steps):
            self.done("do", "kaffe", "--as", name, "--at", f"2026-12-01T09:{minute:02}Z", words)

    def mails(self, name: str) -> list[str]:
        box = self.folder / "mail" / name / "new"
        return [file.read_text("utf-8") for file in sorted(box.glob("*"))]


def mail(sender: str, body: str, number: int = 1) -> bytes:
    head = f"From: {sender}\r\nTo: nomic@nomic.example\r\nMessage-ID: <{number}@pc.example>\r\nSubject: hello\r\n"
    return (head + "\r\n" + body.replace("\n", "\r\n")).encode()


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A started game of Alice, Bo and Cia."""
    cli = Cli(tmp_path_factory.mktemp("started"))
    cli.new()
    return cli.folder


@pytest.fixture(scope="module")
def midway(started: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Alice's turn is over: 301 amends 203, adopted three to none. Bo's 302 is being voted on, Cia has voted."""
    cli = Cli(tmp_path_factory.mktemp("midway"), started)
    majority = (
        "propose amend 203: Majority\nMore than half.\n\nclause adopted when: votes_for * 2 > eligible\nend\n"
    )
    cli.play(
        *(
            ("Alice Ahlgren", f"{majority}\ncall vote\n"),
            ("Alice Ahlgren", "for 301"),
            ("Bo Berg", "for 301"),
        ),
        *(("Cia Crane", "for 301"), ("Bo Berg", TEA), ("Cia Crane", "against 302")),
    )
    return cli.folder


@pytest.fixture
def game(tmp_path: Path, started: Path) -> Cli:
    return Cli(tmp_path, started)


@pytest.fixture
def played(tmp_path: Path, midway: Path) -> Cli:
    return Cli(tmp_path, midway)


class TestTheFrame:
    def test_alone_it_prints_a_short_guide(self) -> None:
        result = CliRunner().invoke(main, [])
        assert result.exit_code == 0
        for words in ("pbem demo", "pbem init", "pbem new", "pbem serve", "--help"):
            assert words in result.output
        assert len(result.output.splitlines()) < 60

    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_command_has_help_with_an_example(self, command: str) -> None:
        result = CliRunner().invoke(main, [command, "--help"])
        assert result.exit_code == 0
        example = result.output.partition("Example")[2]
        assert f"pbem {command}" in example or command in example.splitlines()[0] + example

    def test_every_command_is_in_the_list(self) -> None:
        listed = CliRunner().invoke(main, []).output
        assert [command for command in COMMANDS if f"\n  {command} " not in listed] == []

    def test_an_unknown_command_is_a_wrong_use(self, cli: Cli) -> None:
        assert "prove" in cli.fails(2, "prove")

    def test_without_settings_it_says_how_to_make_some(self, tmp_path: Path) -> None:
        result = CliRunner().invoke(main, ["--config", str(tmp_path / "none.toml"), "list"])
        assert result.exit_code == 2
        assert "pbem init" in result.stderr

    def test_the_environment_names_the_settings(self, cli: Cli) -> None:
        result = CliRunner(env={"PBEM_CONFIG": str(cli.folder / "pbem.toml")}).invoke(main, ["list"])
        assert result.exit_code == 0

    def test_faults_of_the_settings_are_all_told_with_line_and_nearest_name(self, cli: Cli) -> None:
        (cli.folder / "pbem.toml").write_text(
            '[mail]\naddres = "nomic@nomic.example"\n[identity]\nbelieve_from = "yes"\n[sites]\nfolder = "site"\n'
        )
        said = cli.fails(2, "list")
        assert "line 2" in said
        assert "did you mean address?" in said
        assert "line 4" in said
        assert "believe_from" in said
        assert "line 5" in said
        assert "did you mean site?" in said

    def test_an_unknown_game_is_told_in_one_sentence(self, cli: Cli) -> None:
        for command in (("show", "kafe"), ("state", "kafe"), ("verify", "kafe"), ("do", "kafe", "status")):
            said = cli.fails(2, *command)
            assert "kafe" in said
            assert "pbem list" in said
            assert len(said.strip().splitlines()) == 1

    def test_debug_shows_the_traceback(self, cli: Cli) -> None:
        settings = str(cli.folder / "pbem.toml")
        result = CliRunner().invoke(main, ["--debug", "--config", settings, "verify", "kafe"])
        assert result.exit_code == 1
        assert type(result.exception).__name__ == "NoSuchGame"

    def test_it_is_a_program_and_a_module(self, cli: Cli) -> None:
        for words in ([sys.executable, "-m", "pbem"], [str(Path(sys.executable).parent / "pbem")]):
            ran = subprocess.run(
                [*words, "list"], cwd=cli.folder, capture_output=True, text=True, check=False
            )
            assert (ran.returncode, ran.stderr) == (0, "")
            assert "no game" in ran.stdout


class TestFounding:
    def test_init_writes_settings_and_database_once(self, tmp_path: Path) -> None:
        result = CliRunner().invoke(main, ["init", str(tmp_path / "host")])
        assert result.exit_code == 0
        assert (tmp_path / "host" / "pbem.toml").is_file()
        assert (tmp_path / "host" / "pbem.db").is_file()
        again = CliRunner().invoke(main, ["init", str(tmp_path / "host")])
        assert again.exit_code == 2
        assert "there already" in again.stderr
        listed = CliRunner().invoke(main, ["--config", str(tmp_path / "host" / "pbem.toml"), "list"])
        assert listed.exit_code == 0, "what init writes can be used as it is"

    def test_new_with_start_counts_the_players_in(self, game: Cli) -> None:
        state = game.json("state", "kaffe")
        assert state["status"] == "playing"
        assert [player["name"] for player in state["players"]] == ["Alice Ahlgren", "Bo Berg", "Cia Crane"]

    def test_new_without_start_invites_and_who_joins_is_in(self, cli: Cli) -> None:
        cli.done(
            "new",
            "kaffe",
            "--title",
            "K",
            "--keeper",
            KEEPER,
            "--player",
            ALICE,
            "--player",
            BO,
            "--at",
            MORNING,
        )
        cli.done("send")
        assert cli.json("state", "kaffe")["status"] == "setup"
        assert cli.json("state", "kaffe")["players"] == []
        (invitation,) = cli.mails("alice@ahlgren.example") or cli.mails("Alice Ahlgren")
        assert "join" in invitation
        letter = cli.file("1.eml", mail(ALICE, "join as Alice Ahlgren\n"))
        cli.done("deliver", letter, "--trust-from", "--at", "2026-12-01T09:00Z")
        assert [player["name"] for player in cli.json("state", "kaffe")["players"]] == ["Alice Ahlgren"]

    def test_an_unknown_house_rule_is_a_wrong_use_and_the_nearest_is_named(self, cli: Cli) -> None:
        said = cli.fails(2, "new", "kaffe", "--keeper", KEEPER, "--set", "coling time=0")
        assert "'cooling time'" in said
        assert cli.json("list") == []

    @pytest.mark.parametrize("setting", ["cooling time", "cooling time=soon", "proposals per turn=many + 1"])
    def test_a_house_rule_that_does_not_fit_is_a_wrong_use(self, cli: Cli, setting: str) -> None:
        said = cli.fails(2, "new", "kaffe", "--keeper", KEEPER, "--set", setting)
        assert setting.partition("=")[0] in said
        assert cli.json("list") == []

    def test_what_a_game_may_not_be_called_a_wrong_use(self, game: Cli) -> None:
        assert "already" in game.fails(2, "new", "kaffe", "--keeper", KEEPER)
        assert "Kaffe!" in game.fails(2, "new", "Kaffe!", "--keeper", KEEPER)
        assert "suber" in game.fails(2, "new", "te", "--keeper", KEEPER, "--ruleset", "subre")
        assert "nobody" in game.fails(2, "new", "te", "--keeper", "nobody")

    def test_a_swedish_game_has_swedish_rules(self, cli: Cli) -> None:
        cli.new("--language", "sv")
        assert "regeländring" in cli.done("show", "kaffe", "rules").casefold()


class TestDeliver:
    def test_mails_are_taken_in_the_order_given_a_step_apart(self, game: Cli) -> None:
        files = [
            game.file("9.eml", mail(ALICE, TEA, 1)),
            game.file("1.eml", mail(BO, "for 301\n", 2)),
            game.file("5.eml", mail(CIA, "against 301\n", 3)),
        ]
        game.done("deliver", "--trust-from", "--at", "2026-12-01T10:00Z", "--step", "1m", *files)
        assert game.json("state", "kaffe")["proposals"][0]["ballots"] == {
            "Bo Berg": "for",
            "Cia Crane": "against",
        }
        (receipt,) = [each for each in game.mails("Cia Crane") if "auto-replied" in each]
        assert "10:02:00 UTC" in receipt
        assert (game.folder / "site" / "kaffe" / "proposals" / "301" / "index.html").is_file()

    def test_the_last_ballot_closes_the_vote_at_its_own_time(self, game: Cli) -> None:
        bodies = ((ALICE, TEA), (ALICE, "for 301"), (BO, "for 301"), (CIA, "for 301"))
        files = [game.file(f"{n}.eml", mail(who, body, n)) for n, (who, body) in enumerate(bodies)]
        game.done("deliver", "--trust-from", "--at", "2026-12-01T10:00Z", "--step", "+1m", *files)
        log = game.json("show", "kaffe", "log")
        assert game.json("state", "kaffe")["proposals"][0]["stage"] == "adopted"
        assert log[-1]["at"] == 1_796_119_380_000_000, "10:03 UTC"

    @pytest.mark.parametrize("arguments", [(), ("-",)])
    def test_a_mail_may_come_on_standard_input(self, game: Cli, arguments: tuple[str, ...]) -> None:
        game.done("deliver", "--trust-from", "--at", "2026-12-01T10:00Z", *arguments, stdin=mail(ALICE, TEA))
        assert len(game.json("state", "kaffe")["proposals"]) == 1

    def test_a_mail_server_may_pipe_a_mail(self, game: Cli) -> None:
        words = [sys.executable, "-m", "pbem", "deliver", "--trust-from", "--at", "2026-12-01T10:00Z"]
        ran = subprocess.run(words, input=mail(ALICE, TEA), cwd=game.folder, capture_output=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert len(game.json("state", "kaffe")["proposals"]) == 1

    def test_an_mbox_is_taken_whole(self, game: Cli) -> None:
        box = mailbox.mbox(game.folder / "box")
        for number, (who, body) in enumerate(((ALICE, TEA), (BO, "for 301\n"))):
            box.add(mail(who, body, number))
        box.close()
        game.done("deliver", "--trust-from", "--at", "2026-12-01T10:00Z", "--mbox", str(game.folder / "box"))
        assert game.json("state", "kaffe")["proposals"][0]["ballots"] == {"Bo Berg": "for"}

    def test_a_maildir_is_taken_oldest_first(self, game: Cli) -> None:
        box = mailbox.Maildir(game.folder / "box")
        for number, (who, body) in enumerate(((BO, "for 301\n"), (ALICE, TEA))):
            file = game.folder / "box" / "new" / box.add(mail(who, body, number))
            os.utime(file, (1_000 - number, 1_000 - number))
        game.done(
            "deliver", "--trust-from", "--at", "2026-12-01T10:00Z", "--maildir", str(game.folder / "box")
        )
        assert game.json("state", "kaffe")["proposals"][0]["ballots"] == {"Bo Berg": "for"}

    def test_a_time_before_the_last_event_is_refused_and_nothing_stored(self, played: Cli) -> None:
        letter = played.file("1.eml", mail(BO, "for 302\n"))
        said = played.fails(2, "deliver", "--trust-from", "--at", "2026-12-01T08:30Z", letter)
        assert "kaffe" in said
        assert played.json("state", "kaffe")["proposals"][1]["ballots"] == {"Cia Crane": "against"}
        played.done("deliver", "--trust-from", "--at", "2026-12-01T10:00Z", letter)
        assert played.json("state", "kaffe")["proposals"][1]["ballots"]["Bo Berg"] == "for"

    def test_without_trust_nothing_counts(self, game: Cli) -> None:
        game.done("deliver", "--at", "2026-12-01T10:00Z", game.file("1.eml", mail(ALICE, TEA)))
        assert game.json("state", "kaffe")["proposals"] == []

    def test_what_the_game_refuses_is_stored_all_the_same(self, game: Cli) -> None:
        letter = game.file("1.eml", mail(BO, TEA))
        game.done("deliver", "--trust-from", "--at", "2026-12-01T10:00Z", letter)
        assert game.json("state", "kaffe")["proposals"] == []

    def test_what_cannot_be_stored_is_for_the_mail_server_to_try_again(self, game: Cli) -> None:
        for file in game.folder.glob("pbem.db*"):
            file.unlink()
        (game.folder / "pbem.db").write_bytes(b"This is no database. " * 500)
        said = game.fails(75, "deliver", "--trust-from", stdin=mail(ALICE, TEA))
        assert "not stored" in said

    @pytest.mark.parametrize("option", [("--at", "soon"), ("--step", "a while"), ("--mbox", "nowhere")])
    def test_a_wrong_option_is_a_wrong_use(self, game: Cli, option: tuple[str, str]) -> None:
        assert option[1] in game.fails(2, "deliver", *option, stdin=b"")


class TestDo:
    def test_a_player_speaks_english_or_swedish(self, game: Cli) -> None:
        said = game.done(
            "do", "kaffe", "--as", "Alice Ahlgren", "--at", "2026-12-01T09:00Z", "föreslå avskaffa 209"
        )
        assert "301" in said
        game.done("do", "kaffe", "--as", "Alice Ahlgren", "--at", "2026-12-01T09:01Z", "call", "vote", "301")
        game.done("do", "kaffe", "--as", "Bo Berg", "--at", "2026-12-01T09:02Z", "ja", "på", "301")
        game.done("do", "kaffe", "--as", "Cia Crane", "--at", "2026-12-01T09:03Z", "jag röstar nej på 301")
        (proposal,) = game.json("state", "kaffe")["proposals"]
        assert proposal["ballots"] == {"Bo Berg": "for", "Cia Crane": "against"}

    def test_the_keeper_starts_a_game(self, cli: Cli) -> None:
        cli.done(
            "new",
            "kaffe",
            "--title",
            "K",
            "--keeper",
            KEEPER,
            "--player",
            ALICE,
            "--player",
            BO,
            "--at",
            MORNING,
        )
        for number, who in enumerate((ALICE, BO)):
            join = mail(who, f"join as {who.partition(' <')[0]}\n", number)
            cli.done("deliver", "--trust-from", "--at", "2026-12-01T09:00Z", stdin=join)
        cli.done("do", "kaffe", "--at", "2026-12-01T10:00Z", "start")
        assert cli.json("state", "kaffe")["status"] == "playing"

    @pytest.mark.parametrize("words", ["propose repeal 209", "for 399", "propse repeal 209"])
    def test_what_is_refused_or_not_understood_exits_with_one(self, game: Cli, words: str) -> None:
        events = game.json("state", "kaffe")["events"]
        result = game("do", "kaffe", "--as", "Bo Berg", "--at", "2026-12-01T09:00Z", words)
        assert result.exit_code == 1
        assert words in result.output
        assert "Traceback" not in result.output
        assert game.json("state", "kaffe")["events"] == events

    def test_an_unknown_player_is_a_wrong_use_and_the_players_are_named(self, game: Cli) -> None:
        said = game.fails(2, "do", "kaffe", "--as", "Bob", "status")
        assert "Bo Berg" in said

    def test_others_are_told_as_if_it_had_been_a_mail(self, game: Cli) -> None:
        before = len(game.mails("Cia Crane"))
        game.done("do", "kaffe", "--as", "Alice Ahlgren", "--at", "2026-12-01T09:00Z", TEA)
        assert len(game.mails("Cia Crane")) > before


class TestClock:
    def test_tick_does_what_is_due(self, cli: Cli) -> None:
        cli.new("--set", "cooling time=12h")
        cli.play(*ADOPTED)
        cli.done("tick", "--at", "2026-12-01T21:02:59Z")
        assert cli.json("state", "kaffe")["proposals"][0]["stage"] == "voting"
        cli.done("tick", "--at", "2026-12-01T21:03Z")
        assert cli.json("state", "kaffe")["proposals"][0]["stage"] == "adopted"
        assert cli.json("show", "kaffe", "log")[-1]["at"] == 1_796_158_980_000_000, (
            "21:03 UTC, when it was due"
        )

    def test_a_late_tick_writes_down_the_moment_that_was_due(self, cli: Cli) -> None:
        cli.new("--set", "cooling time=1h")
        cli.play(*ADOPTED)
        cli.done("tick", "--at", "2026-12-03T00:00Z")
        assert cli.json("show", "kaffe", "log")[-1]["at"] == 1_796_119_380_000_000, "10:03 UTC"


class TestReading:
    @pytest.mark.parametrize("topic", ["status", "rules", "scores", "proposals", "cases", "log"])
    def test_every_topic_is_shown(self, played: Cli, topic: str) -> None:
        assert played.done("show", "kaffe", topic).strip()

    def test_a_rule_is_shown_by_any_number_it_had(self, played: Cli) -> None:
        for number in ("203", "301"):
            assert "More than half." in played.done("show", "kaffe", "rule", number)
            assert played.json("show", "kaffe", "rule", number)["number"] == 301
        assert "399" in played.fails(1, "show", "kaffe", "rule", "399", "--json")

    def test_the_rules_as_of_a_turn(self, played: Cli) -> None:
        played.done("do", "kaffe", "--as", "Alice Ahlgren", "--at", "2026-12-01T09:10Z", "for 302")
        played.done("do", "kaffe", "--as", "Bo Berg", "--at", "2026-12-01T09:11Z", "for 302")
        then = {rule["number"] for rule in played.json("show", "kaffe", "rules", "--at-turn", "1")}
        now = {rule["number"] for rule in played.json("show", "kaffe", "rules")}
        assert now - then == {302}
        assert played.json("state", "kaffe", "--at-turn", "1")["turn"] == 1
        assert "9" in played.fails(1, "show", "kaffe", "rules", "--at-turn", "9")

    def test_list_names_the_games(self, played: Cli) -> None:
        (entry,) = played.json("list")
        assert entry["game"] == "kaffe"
        assert entry["title"] == "Kaffe"
        assert "kaffe" in played.done("list")

    def test_published_pages_never_hold_what_the_host_sees(self, played: Cli) -> None:
        out = played.folder / "out"
        played.done("publish", "kaffe", "--out", str(out))
        assert played.json("state", "kaffe")["proposals"][1]["ballots"] == {"Cia Crane": "against"}
        shown = json.loads((out / "kaffe" / "game.json").read_text("utf-8"))
        assert "against" not in json.dumps(shown["proposals"][1].get("ballots"))
        assert (out / "index.html").is_file()


Shape = dict[str, Any]
TEXT_OR_NULL = (str, NoneType)
PLAYER: Shape = {"name": str, "score": int, "status": str, "team": TEXT_OR_NULL, "counters": dict}
RULE: Shape = {"number": int, "lineage": list, "mutable": bool, "title": str, "text": str, "clauses": dict}
PROPOSAL: Shape = {
    "number": int,
    "kind": str,
    "target": (int, NoneType),
    "proponent": str,
    "stage": str,
    "ballots": dict,
    "votes_for": int,
    "votes_against": int,
    "without_effect": TEXT_OR_NULL,
    "turn": int,
}
STATE: Shape = {
    "game": str,
    "title": str,
    "status": str,
    "language": str,
    "turn": int,
    "circuit": int,
    "on_turn": TEXT_OR_NULL,
    "waiting_for": list,
    "players": [PLAYER],
    "rules": [RULE],
    "proposals": [PROPOSAL],
    "cases": list,
    "clauses": dict,
    "winners": list,
    "events": int,
    "hash": str,
}
EXPLANATION: Shape = {
    "kind": str,
    "sender": TEXT_OR_NULL,
    "claimed": TEXT_OR_NULL,
    "held": TEXT_OR_NULL,
    "subject": str,
    "subject_core": str,
    "text": TEXT_OR_NULL,
    "game": TEXT_OR_NULL,
    "commands": [{"line": int, "said": str, "understood": str}],
    "problems": [{"line": int, "said": str, "why": str, "try": str}],
}


def faults(found: Any, shape: Any, where: str = "") -> list[str]:
    """Where something is not of the shape: `{key: shape}`, `[shape of each]`, a type or several."""
    if isinstance(shape, dict):
        missing = [f"{where}.{key} is missing" for key in shape if key not in found]
        return missing + [
            each for key in shape if key in found for each in faults(found[key], shape[key], f"{where}.{key}")
        ]
    if isinstance(shape, list):
        return [
            each for place, item in enumerate(found) for each in faults(item, shape[0], f"{where}[{place}]")
        ]
    wrong = not isinstance(found, shape) or (isinstance(found, bool) and shape is int)
    return [f"{where} is {found!r}"] if wrong else []


class TestShapes:
    def test_state(self, played: Cli) -> None:
        state = played.json("state", "kaffe")
        assert faults(state, STATE) == []
        assert state["status"] == "playing"
        assert (state["turn"], state["circuit"], state["on_turn"]) == (2, 1, "Bo Berg")
        assert state["waiting_for"] == ["Alice Ahlgren", "Bo Berg"]
        assert [rule["lineage"] for rule in state["rules"] if rule["number"] == 301] == [[203, 301]]
        assert state["clauses"]["adopted when"] == {
            "rule": 301,
            "expression": "votes_for * 2 > eligible",
            "over": [],
        }
        assert [(each["kind"], each["target"], each["stage"]) for each in state["proposals"]] == [
            ("amend", 203, "adopted"),
            ("enact", None, "voting"),
        ]
        assert state["proposals"][0]["ballots"] == dict.fromkeys(
            ("Alice Ahlgren", "Bo Berg", "Cia Crane"), "for"
        )
        assert len(state["hash"]) == 64

    def test_show_gives_the_parts_of_the_state(self, played: Cli) -> None:
        state = played.json("state", "kaffe")
        assert played.json("show", "kaffe", "rules") == state["rules"]
        assert played.json("show", "kaffe", "proposals") == state["proposals"]
        assert played.json("show", "kaffe", "scores") == state["players"]
        assert played.json("show", "kaffe", "cases") == state["cases"]
        assert faults(played.json("show", "kaffe", "rule", "203"), RULE) == []
        log = played.json("show", "kaffe", "log")
        assert len(log) == state["events"]
        assert log[-1]["hash"] == state["hash"]

    def test_list(self, played: Cli) -> None:
        shape = [
            {"game": str, "title": str, "status": str, "language": str, "turn": int, "on_turn": TEXT_OR_NULL}
        ]
        assert faults(played.json("list"), shape) == []

    def test_explain_needs_no_database_and_leaves_none(self, cli: Cli) -> None:
        letter = cli.file("1.eml", mail(BO, "ja på 301\npropse repeal 209\n"))
        explained = cli.json("explain", letter)
        assert faults(explained, EXPLANATION) == []
        assert explained["kind"] == "human"
        assert (explained["sender"], explained["claimed"]) == (None, "bo@berg.example")
        assert explained["held"]
        assert explained["subject"] == "hello"
        (command,) = explained["commands"]
        assert (command["line"], command["said"]) == (1, "ja på 301")
        assert command["understood"] == "ballot 301 for"
        (problem,) = explained["problems"]
        assert problem["line"] == 2
        assert "propose repeal 209" in problem["try"]
        assert not (cli.folder / "pbem.db").exists()

    def test_explain_of_a_folder_is_a_list(self, cli: Cli) -> None:
        (cli.folder / "box").mkdir()
        for name in ("1.eml", "2.eml"):
            (cli.folder / "box" / name).write_bytes(mail(BO, "status\n"))
        explained = cli.json("explain", str(cli.folder / "box"))
        assert list(explained) == ["1.eml", "2.eml"]
        assert all(faults(each, EXPLANATION) == [] for each in explained.values())
        assert "1.eml" in cli.done("explain", str(cli.folder / "box"))

    def test_explain_in_words_says_the_same(self, cli: Cli) -> None:
        said = cli.done("explain", cli.file("1.eml", mail(BO, "ja på 301\n")))
        assert "bo@berg.example" in said
        assert "ballot 301 for" in said


class TestVerify:
    def test_a_whole_log_is_found_whole(self, played: Cli) -> None:
        said = played.done("verify", "kaffe")
        assert str(played.json("state", "kaffe")["events"]) in said

    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE event SET body = replace(body, 'against', 'for') WHERE body LIKE '%against%'",
            "UPDATE event SET at = at + 1 WHERE seq = 3",
            "UPDATE event SET mail = 'somebody else' WHERE seq = 3",
            "DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)",
            "DELETE FROM event WHERE seq = 3",
            "UPDATE event SET kind = 'spoken' WHERE seq = 4",
            "UPDATE game SET hash = replace(hash, 'a', 'b')",
        ],
    )
    def test_a_changed_record_is_found(self, played: Cli, change: str) -> None:
        database = sqlite3.connect(played.folder / "pbem.db")
        with database:
            assert database.execute(change).rowcount > 0
        database.close()
        said = played.fails(1, "verify", "kaffe")
        assert "kaffe" in said


class TestParts:
    def test_send_and_work_say_what_they_did(self, game: Cli) -> None:
        assert "Sent" in game.done("send")
        assert "0 mail" in game.done("work")

    def test_poll_without_a_mailbox_says_how_to_set_one(self, game: Cli) -> None:
        assert "[intake.maildir]" in game.fails(2, "poll")

    def test_poll_takes_what_lies_in_the_maildir(self, game: Cli) -> None:
        with (game.folder / "pbem.toml").open("a") as settings:
            settings.write('[intake.maildir]\nfolder = "intake"\n')
        (game.folder / "intake" / "new").mkdir(parents=True)
        (game.folder / "intake" / "new" / "1").write_bytes(mail(ALICE, TEA))
        assert "1 mail" in game.done("poll")
        assert "0 mail" in game.done("poll")

    def test_serve_stops_cleanly_when_told_to(
        self, game: Cli, until: Callable[[Callable[[], bool]], None]
    ) -> None:
        with (game.folder / "pbem.toml").open("a") as settings:
            settings.write('[intake.maildir]\nfolder = "intake"\n')
        serving = subprocess.Popen(
            [sys.executable, "-m", "pbem", "serve"], cwd=game.folder, stdout=subprocess.PIPE, text=True
        )
        try:
            until((game.folder / "intake" / "new").is_dir)
            serving.send_signal(signal.SIGTERM)
            said, _ = serving.communicate(timeout=20)
        finally:
            serving.kill()
        assert serving.returncode == 0
        assert "Stopping" in said


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Waits for something to come true, not for long."""

    def wait(true: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not true():
            assert time.monotonic() < end, "it did not come"
            time.sleep(0.02)

    return wait
