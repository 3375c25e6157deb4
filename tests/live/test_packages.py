"""The packages: what is in them, and that what is installed from them works far from the checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.servers.running import CHECKOUT, environment
from tests.servers.shipped import shipped

pytestmark = pytest.mark.live

GROWN = (
    ".git",
    ".venv",
    ".*_cache",
    ".hypothesis",
    "__pycache__",
    "*.egg-info",
    "build",
    "dist",
    "pbem-demo",
)
CARRIED = (
    "pbem/py.typed",
    "pbem/sample.toml",
    "pbem/service/demo.txt",
    "pbem/game/rulesets/suber-en.md",
    "pbem/game/rulesets/suber-sv.md",
    "pbem/store/migrations/0001_initial.py",
    "pbem/templates/mail/receipt.j2",
    "pbem/templates/locale/sv/LC_MESSAGES/pbem.po",
)


def run(*command: str | Path, cwd: Path) -> str:
    """What a program prints that knows nothing of the checkout and must succeed."""
    away = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=away, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def build(kind: str, source: Path, out: Path) -> Path:
    """A package of the sources in a folder, made with what is installed here."""
    run(sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", out, source, cwd=out.parent)
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="module", name="sources")
def _sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout as it is at this moment, without what it has grown by being used."""
    copy = tmp_path_factory.mktemp("sources") / "pbem"
    shutil.copytree(CHECKOUT, copy, ignore=shutil.ignore_patterns(*GROWN))
    return copy


@pytest.fixture(scope="module", name="wheel")
def _wheel(tmp_path_factory: pytest.TempPathFactory, sources: Path) -> Path:
    return build("wheel", sources, tmp_path_factory.mktemp("made") / "wheel")


@pytest.fixture(scope="module", name="sdist")
def _sdist(tmp_path_factory: pytest.TempPathFactory, sources: Path) -> Path:
    return build("sdist", sources, tmp_path_factory.mktemp("made") / "sdist")


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_the_wheel_carries_all_that_is_read_at_run_time(wheel: Path, sources: Path) -> None:
    inside = contents(wheel)
    templates = [path.relative_to(sources) for path in (sources / "templates").rglob("*") if path.is_file()]

    assert set(CARRIED) <= inside.keys()
    assert len(templates) > 30
    assert {f"pbem/{path}" for path in templates} <= inside.keys()


def test_the_wheel_carries_nothing_else(wheel: Path) -> None:
    strange = [name for name in contents(wheel) if not name.startswith(("pbem/", "pbem-"))]

    assert strange == []
    assert not [name for name in contents(wheel) if "__pycache__" in name or name.endswith(".pyc")]


def test_a_wheel_made_from_the_sdist_is_the_same(tmp_path: Path, wheel: Path, sdist: Path) -> None:
    with tarfile.open(sdist) as file:
        file.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2 knows none
        file.extractall(tmp_path / "unpacked")  # noqa: S202  # we have made it
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    again = build("wheel", unpacked, tmp_path / "again")

    assert again.name == wheel.name
    assert contents(again) == contents(wheel)


def test_what_goes_into_the_container_makes_the_same_wheel(
    tmp_path: Path, wheel: Path, sources: Path
) -> None:
    (tmp_path / "src").mkdir()
    for line in shipped("container/Containerfile").splitlines():
        if line.startswith("COPY ") and not line.startswith("COPY --from"):
            *names, target = line.split()[1:]
            for name in names:
                copy = shutil.copytree if (sources / name).is_dir() else shutil.copy
                copy(sources / name, tmp_path / "src" / target)

    assert contents(build("wheel", tmp_path / "src", tmp_path / "made")) == contents(wheel)


@pytest.mark.parametrize("package", ["wheel", "sdist"])
def test_an_installed_pbem_plays_the_demo_anywhere(
    tmp_path: Path, package: str, request: pytest.FixtureRequest
) -> None:
    home = tmp_path / "venv"
    python = install(request.getfixturevalue(package), home)
    away = tmp_path / "away"
    away.mkdir()

    places = run(
        python, "-c", "import pbem, pbem.render as r; print(pbem.__file__, r.templates_folder())", cwd=away
    )
    assert all(Path(place).is_relative_to(home) for place in places.split()), places
    assert "David Dahl won" in run(home / "bin" / "pbem", "demo", cwd=away)
    assert (away / "pbem-demo" / "site" / "kaffe" / "index.html").is_file()


def install(package: Path, home: Path) -> Path:
    """A new environment with the package in it, and what it depends on lent by this one; returns its Python."""
    venv.create(home)
    python = home / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(home)}))
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    alone = ("--no-deps", "--no-build-isolation", "--no-index", "--ignore-installed", "--quiet")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--disable-pip-version-check")
    run(*pip, *alone, package, cwd=home)
    return python
