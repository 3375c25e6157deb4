"""Cases as the site tells them (212): an index, and a page for each; nothing before there is one."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game import case_views
from pbem.publish.page import Page
from pbem.publish.press import Press


def pages(press: Press) -> Iterator[Page]:
    """Every case that was brought to judgment, newest first."""
    heard = case_views.all_cases(press.state)
    if heard:
        yield press.page("cases/index.html", "cases.html", heard, lambda: {"cases": heard})
    for view in heard:
        yield _page(press, view)


def _page(press: Press, view: case_views.CaseView) -> Page:
    can = case_views.can_be_overruled(press.state, view.case)
    judging = view.case.stage == "judging" and view.case.judge is not None
    commands = case_views.answers(view.case) if judging else case_views.opinions(view.case) if can else ()
    shown = {"view": view, "commands": commands}
    return press.page(f"cases/{view.case.name}/index.html", "case.html", (view, can), lambda: shown)
