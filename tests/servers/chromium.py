"""Debian's Chromium, as a reader would set it: narrow or wide, light or dark, large letters, no script, on paper.

What lives here: starting it, and looking at what it asked for and complained of. What never may: a judgment of a page.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

Scheme = Literal["light", "dark"]
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)


def program(name: str, package: str) -> str:
    """Where a program is. Fails the test, naming the Debian package that brings it, when it is missing."""
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is missing: apt-get install {package} (tests/run does it where it may)")
    return found


class Browser:
    """One window. What is set stays set until `plain()`."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver
        self._media: dict[str, str] = {"media": "", "scheme": "light"}
        self._brought: list[str] = []

    def plain(self) -> None:
        """A desktop window in daylight, with script; what was brought along and logged is forgotten."""
        for script in self._brought:
            self.tell("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        self._brought.clear()
        self.width(1280)
        self.letters(16)
        self.script(True)
        self._emulate(media="", scheme="light")
        self.asked_for()
        self.complaints()

    def open(self, address: str) -> None:
        self.driver.get(address)

    def run(self, script: str, *given: Any) -> Any:
        """What a function body of ours returns; the page's own policy does not bind it."""
        return self.driver.execute_script(script, *given)

    def bring(self, script: str) -> None:
        """A script of ours to be there, from now on, in each page that is opened."""
        added = self.tell("Page.addScriptToEvaluateOnNewDocument", source=script)
        self._brought.append(added["identifier"])

    def settle(self, script: str, *given: Any) -> Any:
        """What a function body of ours hands to its last argument, a callback."""
        return self.driver.execute_async_script(script, *given)

    def tell(self, command: str, **given: Any) -> Any:
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, given)

    def width(self, pixels: int) -> None:
        self.tell(
            "Emulation.setDeviceMetricsOverride",
            width=pixels,
            height=800,
            deviceScaleFactor=1,
            mobile=pixels < 500,
        )

    def letters(self, pixels: int) -> None:
        """The size of letters the reader has chosen; 16 is what browsers begin with."""
        self.tell("Page.setFontSizes", fontSizes={"standard": pixels, "fixed": pixels * 13 // 16})

    def script(self, allowed: bool) -> None:
        self.tell("Emulation.setScriptExecutionDisabled", value=not allowed)

    def scheme(self, scheme: Scheme) -> None:
        self._emulate(scheme=scheme)

    def medium(self, medium: Literal["screen", "print"]) -> None:
        self._emulate(media=medium)

    def _emulate(self, **wanted: str) -> None:
        self._media |= wanted
        wishes = {"prefers-color-scheme": self._media["scheme"], "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        self.tell("Emulation.setEmulatedMedia", media=self._media["media"], features=features)

    def printed(self) -> bytes:
        """The page as a PDF."""
        return base64.b64decode(self.tell("Page.printToPDF")["data"])

    def press_tab(self, times: int) -> None:
        ActionChains(self.driver, duration=0).send_keys(Keys.TAB * times).perform()

    def asked_for(self) -> list[str]:
        """The addresses fetched since the last look."""
        entries: list[Any] = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        return [e["params"]["request"]["url"] for e in entries if e["method"] == "Network.requestWillBeSent"]

    def complaints(self) -> list[str]:
        """The lines of the console since the last look."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A browser of our own, ended when the tests are done with it."""
    options = webdriver.ChromeOptions()
    options.binary_location = program("chromium", "chromium")
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(program("chromedriver", "chromium-driver")))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
