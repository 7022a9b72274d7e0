"""The page of an embedding plot in a browser: pointed at, clicked, and without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from playwright.sync_api import expect

from equivec.evaluate.embedding_plots import plot_embeddings
from equivec.evaluate.plot_page import write_plot_page
from equivec.evaluate.plot_set import Labelled
from support.browser import chromium, needs_chromium, opened
from support.encoders import OfTexts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = needs_chromium
WAVES, POWERS = '<i>"waves"</i>', "powers of x, and of nothing else " * 9
LONG = " + ".join(f"sin(x**{n})" for n in range(2, 32))
ROWS = [
    *(Labelled("sin(x)/2", WAVES), Labelled(LONG, WAVES)),
    *(Labelled("x**2", POWERS), Labelled("x**3", POWERS)),
]


class Corners(OfTexts):
    """Every expression at a corner of a rectangle."""

    name, width = "corners", 2

    def rows(self, texts: Sequence[str]) -> np.ndarray:
        assert len(texts) == len(ROWS)
        return np.array([[0, 1], [9, 1], [0, 5], [9, 5]], dtype=np.float32)


@pytest.fixture
def page(tmp_path: Path):
    write_plot_page(tmp_path / "plot.html", plot_embeddings(Corners(), ROWS))
    with chromium() as browser, opened(browser, (tmp_path / "plot.html").as_uri()) as page:
        expect(page.locator(".legendtext")).to_have_count(2)
        yield page


def point_at(page, text: str) -> None:
    """Move the pointer to the dot of an expression, until the page shows it."""
    place = page.evaluate(
        """text => {
            const map = document.getElementById("map"), box = map.getBoundingClientRect();
            const trace = map.data.find(each => each.customdata.includes(text));
            const at = trace.customdata.indexOf(text), {xaxis, yaxis} = map._fullLayout;
            return [box.x + xaxis._offset + xaxis.c2p(trace.x[at]),
                    box.y + yaxis._offset + yaxis.c2p(trace.y[at])];
        }""",
        text,
    )
    page.mouse.move(place[0] - 40, place[1] - 40)
    page.mouse.move(*place, steps=4)
    expect(page.locator("#tip small").first).to_have_text(text)


def test_an_expression_that_is_pointed_at_is_shown_as_mathematics_with_its_class(page) -> None:
    point_at(page, "sin(x)/2")
    expect(page.locator("#tip mfrac")).to_be_visible()
    expect(page.locator("#tip small")).to_have_text(["sin(x)/2", WAVES])


def test_a_long_expression_stays_within_the_window(page) -> None:
    point_at(page, LONG)
    box, width = page.locator("#tip").bounding_box(), page.viewport_size["width"]
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_no_button_sends_what_is_plotted_elsewhere(page) -> None:
    titles = [each.get_attribute("data-title") for each in page.locator(".modebar-btn").all()]
    assert "Zoom in" in titles
    assert not [title for title in titles if "hare" in title or "loud" in title]


def test_a_click_copies_the_expression(page) -> None:
    point_at(page, "x**3")
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("#tip small").first).to_have_text("copied: x**3")
    assert page.evaluate("navigator.clipboard.readText()") == "x**3"


def test_the_legend_hides_and_shows_a_class(page) -> None:
    texts = page.locator(".legendtext").all_text_contents()
    assert texts == [WAVES, f"{POWERS[:29]}…"]
    for shown in (1, 2):
        page.locator(".legendtoggle").first.click()
        expect(page.locator(".scatterlayer .trace")).to_have_count(shown)
