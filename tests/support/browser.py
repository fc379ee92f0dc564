"""Pages in a Chromium that is on the machine; tests are skipped where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]  # fmt: skip


def chromium() -> str | None:
    """Return the browser: that of ARMDYN_CHROMIUM, or one in a usual place."""
    found = [os.environ.get("ARMDYN_CHROMIUM"), *map(shutil.which, NAMES)]
    return next((path for path in found if path and Path(path).exists()), None)


@contextmanager
def running() -> Iterator[Any]:
    """Run a browser, or skip the test and say why."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium on this machine (ARMDYN_CHROMIUM names one): pages are not opened")
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page that is open, with what it complained of and asked for."""

    # What a page may ask for, and a script that waits for it.
    allowed: tuple[str, ...] = ("file:", "data:")
    ready = "armdyn.ready"

    def __init__(self, browser: Any, path: Path | str, **options: Any) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.goto(path if isinstance(path, str) else path.as_uri())
        self.page.evaluate(self.ready)

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def __call__(self, script: str, *given: Any) -> Any:
        return self.page.evaluate(script, *given)

    def shot(self, name: str, folder: Path) -> Path:
        """Keep a picture of the page, in ARMDYN_SCREENSHOTS if that is set."""
        kept = Path(os.environ.get("ARMDYN_SCREENSHOTS", folder))
        kept.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=kept / f"{name}.png")
        return kept / f"{name}.png"

    def close(self) -> None:
        self.context.close()
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith(self.allowed)] == []
