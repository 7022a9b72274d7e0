"""Pages of ours in Chromium."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

_CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(_CHROMIUM is None, reason="chromium is not installed")
expect.set_options(timeout=30_000)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser."""
    with sync_playwright() as playwright:
        # Without a sandbox it also runs as root; it sees our own pages only.
        yield playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Page]:
    """A page that may use the clipboard, and must not fail or load anything from elsewhere."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda each: each.url.startswith(url) or errors.append(each.url))
    page.goto(url)
    yield page
    assert errors == []
    context.close()
