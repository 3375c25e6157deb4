"""The judges of pages that others wrote: axe-core for what people with other eyes and hands meet, the Nu Html Checker for HTML, CSS and SVG.

What lives here: finding and running them. What never may: an exception for a page of ours.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.servers.chromium import Browser, program

TOOLS = Path(__file__).parents[1] / "tools" / "node_modules"
LOOKS = ("color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size")
"""The rules of axe-core that a page's colours and width decide; the others need to be asked once."""
_ASK_AXE = """
const [rules, done] = arguments;
const wanted = rules.length ? {runOnly: rules} : {rules: {'target-size': {enabled: true}}};
axe.run(document, {...wanted, resultTypes: ['violations'], preload: false}).then(
  found => done({violations: found.violations}), error => done({error: String(error)}));
"""


def tool(path: str) -> Path:
    """A file of the tools in tests/tools/package.json. Fails the test when they are not there."""
    found = TOOLS / path
    if not found.is_file():
        package = path.partition("/")[0]
        pytest.fail(f"{package} is missing: tests/run installs it into tests/tools, with npm")
    return found


def bring_axe(browser: Browser) -> None:
    """Has axe-core at hand in each page that is opened next."""
    browser.bring(tool("axe-core/axe.min.js").read_text("utf-8"))


def axe(browser: Browser, *rules: str) -> list[str]:
    """What axe-core finds wrong in the page that is open, by these rules alone if any are named."""
    found = browser.settle(_ASK_AXE, rules)
    assert "error" not in found, found["error"]
    return [
        f"{rule['id']}: {node['html'][:120]} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def nu(documents: Iterable[str]) -> list[dict[str, Any]]:
    """What the Nu Html Checker says of pages by address, and of style sheets and pictures by path.

    It does not guess at languages: players may write in any.
    """
    command = (program("java", "default-jre-headless"), "-Dnu.validator.servlet.allow-forbidden-hosts=true")
    options = (
        "--also-check-css",
        "--also-check-svg",
        "--format",
        "json",
        "--stdout",
        "--exit-zero-always",
        "--no-langdetect",
    )
    jar = str(tool("vnu-jar/build/dist/vnu.jar"))
    done = subprocess.run(
        (*command, "-jar", jar, *options, *documents), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    messages: list[dict[str, Any]] = json.loads(done.stdout)["messages"]
    return messages
