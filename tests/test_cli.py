"""The command line as a contract: names, exit codes, sentences and the shapes of JSON that programs are written against."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.cli import main
from tests.flow.console import Console
from tests.flow.post import SETTINGS
from tests.flow.shapes import EXPLANATION, faults

COMMANDS = (
    *("demo", "init", "new", "deliver", "tick", "do", "show", "list", "state", "verify", "explain"),
    *("publish", "serve", "poll", "send", "work"),
    *("backup", "restore", "export", "import", "upgrade", "doctor"),
    *("health", "queue", "hold", "release", "retry", "why"),
)
ALICE, BO, CIA = (
    "Alice Ahlgren <alice@ahlgren.example>",
    "Bo Berg <bo@berg.example>",
    "Cia Crane <cia@crane.example>",
)
KEEPER = "Kim Kvist <kim@kvist.example>"
MORNING = "2026-12-01T08:00Z"
TEA = "propose enact: Tea\nTea is served at four.\nend\n\ncall vote\n"
ADOPTED = ((ALICE, TEA), (ALICE, "for 301"), (BO, "for 301"), (CIA, "for 301"))


class Cli(Console):
    """The command line of a host that goes on from `like`, the folder of another one, or begins anew."""

    def __init__(self, folder: Path, like: Path | None = None) -> None:
        super().__init__(folder)
        if like is None:
            (folder / "pbem.toml").write_text(SETTINGS, "utf-8")
        else:
            shutil.copytree(like, folder, symlinks=True, dirs_exist_ok=True)

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

    def play(self, *mails: tuple[str, str]) -> None:
        """Mails a minute apart, from nine o'clock on."""
        files = [self.file(f"{place}.eml", mail(who, body, place)) for place, (who, body) in enumerate(mails)]
        self.done("deliver", "--trust-from", "--at", "2026-12-01T09:00Z", "--step", "1m", *files)

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


@pytest.fixture
def game(tmp_path: Path, started: Path) -> Cli:
    return Cli(tmp_path, started)


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

    @pytest.mark.slow
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

    def test_the_rules_of_two_turns_are_compared(self, game: Cli) -> None:
        assert "no rule changed" in game.done("show", "kaffe", "rules", "--from", "0", "--to", "0")
        assert game.json("show", "kaffe", "rules", "--from", "0") == []
        assert "There has been no turn 9 yet" in game.fails(1, "show", "kaffe", "rules", "--to", "9")
        assert "--from and --to compare the rules" in game.fails(2, "show", "kaffe", "scores", "--from", "0")


@pytest.mark.slow
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


@pytest.mark.slow
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


class TestExplain:
    def test_it_needs_no_database_and_leaves_none(self, cli: Cli) -> None:
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

    def test_of_a_folder_it_is_a_list(self, cli: Cli) -> None:
        (cli.folder / "box").mkdir()
        for name in ("1.eml", "2.eml"):
            (cli.folder / "box" / name).write_bytes(mail(BO, "status\n"))
        explained = cli.json("explain", str(cli.folder / "box"))
        assert list(explained) == ["1.eml", "2.eml"]
        assert all(faults(each, EXPLANATION) == [] for each in explained.values())
        assert "1.eml" in cli.done("explain", str(cli.folder / "box"))

    def test_in_words_it_says_the_same(self, cli: Cli) -> None:
        said = cli.done("explain", cli.file("1.eml", mail(BO, "ja på 301\n")))
        assert "bo@berg.example" in said
        assert "ballot 301 for" in said


@pytest.mark.slow
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
