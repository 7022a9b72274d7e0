"""Pictures of the web page: `python scripts/make_screenshots.py URL FOLDER [NAME...]`.

The service must be running (`equivec serve`), and chromium be installed. Those of README and docs:
`python scripts/make_screenshots.py http://127.0.0.1:8000 docs/images search check`.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

# A picture's name, the address of the tab, what must have appeared, and the size.
PICTURES = (
    ("search", "#search/sin(x)%2Fcos(x)", "#search-results li", (1100, 860)),
    ("search-phone", "#search/sin(x)%2Fcos(x)", "#search-results li", (390, 844)),
    ("equivalents", "#equivalents/sin(x)%2Fcos(x)", "#equivalents-results li", (1100, 860)),
    ("check", "#check/", ".plot", (1100, 860)),
    ("analogy", "#analogy/", "#analogy-results li", (1100, 860)),
    ("map", "#map/sin(x)%2Fcos(x)", "#map-results li", (1100, 980)),
)
# Tabs that wait for a click.
BUTTONS = {"check": "#check-form .primary", "analogy": "#analogy-form .primary"}


def main(url: str, folder: str, *names: str) -> None:
    """Take every picture, or those named, in light and dark."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme, device_scale_factor=2)
            for name, *rest in PICTURES:
                if names and name not in names:
                    continue
                _take(page, url, Path(folder) / f"{name}-{scheme}.png", name, *rest)
        browser.close()


def _take(
    page: Page, url: str, path: Path, name: str, place: str, sign: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("about:blank")
    page.goto(f"{url}/{place}")
    if name in BUTTONS:
        page.wait_for_selector(f"#panel-{name} output math")
        page.click(BUTTONS[name])
    page.wait_for_selector(sign)
    page.wait_for_load_state("networkidle")
    if name.startswith("search"):
        # Once more: what is told of the time is that of a search, not of the page's own start.
        page.press("#query-text", "Enter")
        page.wait_for_load_state("networkidle")
    # A page has few colours; in 256 of them nobody sees a difference but in the size of the file.
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
