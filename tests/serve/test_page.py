"""The web page in a browser: typed into, clicked through, and looked at."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from support.browser import chromium, needs_chromium, opened
from support.services import no_equivalents, running

pytestmark = needs_chromium

# What each tab shows in the end, and the button to press for it if there is one.
CONTENT = {
    "Search": ("#search-results li", None),
    "Equivalents": ("#equivalents-results li", None),
    "Check": ("#check-result .card", "Check"),
    "Analogy": ("#analogy-results li", "Find it"),
    "Map": ("#map-results li", None),
}


@pytest.fixture
def url(service) -> str:
    return service.url


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser, url):
    with opened(browser, url) as page:
        yield page


def seen(page: Page, **options) -> np.ndarray:
    """A screenshot as numbers: (height, width, colour)."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot(**options))).convert("RGB"))


def search(page: Page, text: str) -> None:
    # What the line said of the formula before must not pass for an answer.
    page.evaluate("document.querySelector('#search-status').textContent = ''")
    page.get_by_label("A formula, in LaTeX or plain text").fill(text)
    expect(page.locator("#search-status")).to_contain_text("equal")


def visit(page: Page, tab: str) -> None:
    """Open a tab and wait until there is something to look at."""
    page.get_by_role("tab", name=tab).click()
    where, button = CONTENT[tab]
    if button:
        page.get_by_role("button", name=button).click()
    expect(page.locator(where).first).to_be_visible()


def formulas(page: Page, where: str) -> list[str]:
    return [
        math.get_attribute("alttext") for math in page.locator(f"#{where} math").element_handles()
    ]


def test_typing_a_formula_shows_it_and_what_equals_it(page) -> None:
    search(page, r"a^2 + 2ab + b^2")
    expect(page.locator("#query output math")).to_have_attribute("alttext", "a**2 + 2*a*b + b**2")
    first = page.locator("#search-results li").first
    expect(first.locator(".badge")).to_have_text("equal over the reals")
    expect(first.locator(".why")).to_contain_text("with a as p, b as q")
    assert formulas(page, "search-results")[0] == "(p + q)**2"
    expect(page.locator("#search-results .badge").last).to_have_text(re.compile(r"cosine -?0\.\d+"))


def test_a_mistake_is_shown_while_typing_and_goes_away(page) -> None:
    box = page.get_by_label("A formula, in LaTeX or plain text")
    box.press_sequentially("coss(x)")
    wrong = page.locator("#query .caret")
    expect(wrong).to_have_text(
        re.compile(r"'coss' is not a symbol .*did you mean 'cos'\?\n.*\n.*\^")
    )
    expect(box).to_have_attribute("aria-invalid", "true")
    box.fill("cos(x)")
    expect(wrong).to_have_text("")
    expect(box).to_have_attribute("aria-invalid", "false")


def test_without_a_formula_there_are_no_results(page) -> None:
    search(page, "tan(x)")
    page.get_by_label("A formula, in LaTeX or plain text").fill("")
    expect(page.locator("#search-results")).to_be_empty()
    expect(page.locator("#examples")).to_be_visible()


def test_clicking_a_result_searches_from_it_and_back_goes_back(page) -> None:
    search(page, "tan(x)")
    page.get_by_role("button", name="Search from sin(x)/cos(x)").click()
    box = page.get_by_label("A formula, in LaTeX or plain text")
    expect(box).to_have_value("sin(x)/cos(x)")
    expect(page.locator("#query output math")).to_have_attribute("alttext", "sin(x)/cos(x)")
    page.go_back()
    expect(box).to_have_value("tan(x)")


def test_an_address_opens_what_it_says(page, url) -> None:
    page.goto(f"{url}/#search/sinh(x)")
    page.reload()
    first = page.locator("#search-results .badge").first
    expect(first).to_have_text("equal over the reals")
    assert set(formulas(page, "search-results")[:2]) == {"sinh(x)", "(exp(x) - exp(-x))/2"}
    page.goto(f"{url}/#search/50%")
    page.reload()
    expect(page.get_by_label("A formula, in LaTeX or plain text")).to_have_value("50%")


def test_filters_narrow_the_answers(page) -> None:
    search(page, "sin(x)")
    page.locator(".filters summary").click()
    page.get_by_label("must contain").fill("log")
    expect(page.locator("#search-results li")).to_have_count(1)
    assert formulas(page, "search-results") == ["log(x)/log(y)"]
    page.get_by_label("must contain").fill("sine")
    expect(page.locator("#search-status")).to_contain_text("did you mean 'sin'?")
    expect(page.locator("#search-results")).to_be_empty()


def test_a_filter_leaves_an_unfinished_formula_in_its_box(page) -> None:
    search(page, "sin(x)")
    box = page.get_by_label("A formula, in LaTeX or plain text")
    box.fill("sin(x) +")
    expect(box).to_have_attribute("aria-invalid", "true")
    page.locator(".filters summary").click()
    page.get_by_label("must contain").fill("log")
    expect(page.locator("#search-results li")).to_have_count(1)
    expect(box).to_have_value("sin(x) +")


@pytest.mark.parametrize(
    ("label", "copied"),
    [
        ("LaTeX", r"\frac{\sin\left(x\right)}{\cos\left(x\right)}"),
        ("SymPy", "sin(x)/cos(x)"),
        ("prefix", "div sin x cos x"),
    ],
)
def test_a_formula_is_copied_in_each_format(page, label, copied) -> None:
    search(page, "sin(x)/cos(x)")
    page.get_by_role("button", name=f"Copy sin(x)/cos(x) as {label}").click()
    expect(page.get_by_text("copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == copied


def test_equivalents_are_proposed_and_judged(page) -> None:
    search(page, "sin(x)")
    page.get_by_role("tab", name="Equivalents").click()
    expect(page.locator("#equivalents-status")).to_have_text(
        "3 of 4 proposals are equal over the reals"
    )
    marks = page.locator("#equivalents-results .badge").all_inner_texts()
    equal, different = "equal over the reals", "different over the reals"
    assert marks == [equal, different, equal, equal]


def test_while_the_model_writes_nothing_is_shown_of_the_formula_before(page, folder) -> None:
    search(page, "sin(x)")
    visit(page, "Equivalents")
    with no_equivalents(folder):
        page.get_by_label("A formula, in LaTeX or plain text").fill("cos(x)")
        expect(page.locator("#equivalents-status")).to_have_text("The model is writing …")
        expect(page.locator("#equivalents-results")).to_be_empty()
    expect(page.locator("#equivalents-results li")).to_have_count(4)


def test_a_check_shows_verdict_witness_and_both_curves(page) -> None:
    page.get_by_role("tab", name="Check").click()
    page.get_by_label("Is this formula").fill("sqrt(x)^2")
    page.get_by_label("equal to this one").fill("x")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#check-result .badge")).to_have_text("equal for positive x")
    expect(page.locator("#check-result .verdict")).to_contain_text(
        "over the reals equal only where both are defined (at x = -1: undefined and -1)"
    )
    plot = page.get_by_role("img", name="sqrt(x)**2 and x for x from -10 to 10")
    # The left side begins at 0, in the middle of the picture; the right one at its edge.
    starts = [
        float(plot.locator(f".curve.{side}").get_attribute("d")[1:].split()[0])
        for side in ("left", "right")
    ]
    assert starts[0] > 320 > 60 > starts[1]
    expect(plot.locator(".dot")).to_have_count(1)
    page.get_by_label("equal to this one").fill("x^2")
    expect(page.locator("#check-result")).to_be_empty()


def test_a_check_may_be_about_positive_numbers_only(page) -> None:
    page.get_by_role("tab", name="Check").click()
    page.get_by_label("Is this formula").fill("sqrt(x^2)")
    page.get_by_label("equal to this one").fill("x")
    page.get_by_role("button", name="Check").click()
    verdict = page.locator("#check-result .verdict")
    expect(verdict).to_contain_text("over the reals they differ at x = -1: 1 and -1")
    page.get_by_label("Variables are").select_option("positive numbers only")
    expect(verdict).not_to_contain_text("reals")
    expect(page.locator("#check-result .badge")).to_have_text("equal for positive x")
    expect(verdict).to_contain_text("they agree at")


def test_what_is_equal_is_never_called_proved(page) -> None:
    """Not in the legend, and not of hits, proposals and checks; what differs may be."""
    expect(page.locator("#intro")).not_to_contain_text("prove")
    search(page, "x")
    hits = page.locator("#search-results li").filter(has=page.locator(".equal, .partly"))
    expect(hits.first).to_be_visible()
    assert not [text for text in hits.all_inner_texts() if "proof" in text or "prove" in text]
    for tab in ("Equivalents", "Check"):
        visit(page, tab)
    assert "prove" not in page.locator("#check-result").inner_text()
    mild = page.locator("#search-results li", has=page.get_by_text("equal for positive x"))
    expect(mild).not_to_have_count(0)


def test_sympy_is_offered_where_it_is_switched_on(browser, page, folder) -> None:
    page.get_by_role("tab", name="Check").click()
    expect(page.locator("#about")).to_contain_text("formulas")
    expect(page.get_by_label("Judge")).to_be_hidden()
    with running(folder, sympy=True) as service, opened(browser, service.url) as page:
        page.get_by_role("tab", name="Check").click()
        expect(page.get_by_label("Judge")).to_be_visible()


def test_a_check_begins_with_the_formula_that_was_searched_last(page) -> None:
    for text in ("tan(x)", "cos(x)"):
        page.get_by_role("tab", name="Search").click()
        search(page, text)
        page.get_by_role("tab", name="Check").click()
        expect(page.get_by_label("Is this formula")).to_have_value(text)


def test_an_analogy_is_solved(page) -> None:
    page.get_by_role("tab", name="Analogy").click()
    expect(page.locator("#y2 output math")).to_have_attribute("alttext", "csc(x)")
    page.get_by_role("button", name="Find it").click()
    expect(page.locator("#analogy-status")).to_contain_text("cos(x) is to sin(x) as")
    assert formulas(page, "analogy-results")[0] == "sec(x)"


def test_the_map_shows_points_names_them_and_marks_the_query(page) -> None:
    search(page, "sin(x)")
    page.get_by_role("tab", name="Map").click()
    expect(page.locator("#map-status")).to_have_text("sin(x) and its 10 nearest formulas")
    canvas = page.locator("#map")
    box = canvas.bounding_box()
    pixels = seen(page, clip=box).astype(int)
    paper = pixels[2, 2]
    is_drawn = np.abs(pixels - paper).sum(axis=2) > 60
    assert 200 < is_drawn.sum() < 0.2 * is_drawn.size
    # The query's ring is the largest patch in the accent's colour: hover over its middle.
    accent = np.array([59, 91, 219])
    is_accent = np.abs(pixels - accent).sum(axis=2) < 20
    window = np.lib.stride_tricks.sliding_window_view(is_accent, (15, 15)).sum(axis=(2, 3))
    y, x = np.unravel_index(window.argmax(), window.shape)
    middle = float(box["x"] + x + 7), float(box["y"] + y + 7)
    # A press that the system takes over, to scroll, is over: the mouse points again.
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    canvas.dispatch_event("pointercancel")
    page.mouse.move(*middle)
    tip = page.locator("#tip math")
    expect(tip).to_be_visible()
    assert tip.get_attribute("alttext")
    page.mouse.up()
    page.mouse.click(*middle)
    expect(page.get_by_role("tab", name="Search")).to_have_attribute("aria-selected", "true")


def test_without_a_formula_there_is_the_map_alone(page) -> None:
    search(page, "sin(x)")
    visit(page, "Map")
    page.get_by_label("A formula, in LaTeX or plain text").fill("")
    expect(page.locator("#map-status")).to_contain_text("20 formulas; two axes show")
    expect(page.locator("#map-results")).to_be_empty()


def test_the_keyboard_reaches_everything(page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("tan(x)")
    expect(page.locator("#search-results li").first).to_be_visible()
    page.get_by_role("tab", name="Search").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Equivalents")).to_be_focused()
    expect(page.locator("#panel-equivalents")).to_be_visible()
    # Who comes back to a tab is answered anew.
    page.evaluate("document.querySelector('#search-results li').className = 'old'")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#search-results li.old")).to_have_count(0)
    page.locator("#search-results .formula").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("A formula, in LaTeX or plain text")).not_to_have_value("tan(x)")


def test_everything_one_can_use_has_a_name(page) -> None:
    search(page, "tan(x)")
    for tab in CONTENT:
        visit(page, tab)
        nameless = page.evaluate(
            """() => [...document.querySelectorAll('button, input, select, a, [role=img]')]
              .filter((each) => each.checkVisibility())
              .filter((each) => !(each.getAttribute('aria-label') || each.textContent.trim()
                || each.labels?.length))
              .map((each) => each.outerHTML)"""
        )
        assert nameless == [], tab


def test_a_phone_needs_no_sideways_scrolling(page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    search(page, "1/(1 + exp(-x)) + (exp(x) - exp(-x))/2 + sin(x)^2 + cos(2x) + x*y*z")
    for tab in CONTENT:
        visit(page, tab)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, tab


def test_dark_is_dark_by_the_system_or_by_choice(page) -> None:
    assert seen(page).mean() > 200
    page.get_by_role("button", name="Switch between light and dark").click()
    assert seen(page).mean() < 60
    page.reload()
    assert seen(page).mean() < 60
    page.get_by_role("button", name="Switch between light and dark").click()
    assert seen(page).mean() > 200
    page.evaluate("localStorage.clear()")
    page.emulate_media(color_scheme="dark")
    page.reload()
    assert seen(page).mean() < 60


@pytest.mark.slow
def test_a_key_is_asked_for_once(browser, folder) -> None:
    key = "0123456789abcdef"
    with running(folder, api_key=key) as service:
        page = browser.new_page()
        page.goto(f"{service.url}/#search/tan(x)")
        refused = page.get_by_text("That key was not accepted.")
        expect(refused).to_be_hidden()
        page.get_by_label("API key").fill("wrong")
        page.get_by_role("button", name="Go on").click()
        expect(refused).to_be_visible()
        page.get_by_label("API key").fill(key)
        page.get_by_role("button", name="Go on").click()
        expect(page.locator("#search-results .badge").first).to_have_text("equal over the reals")
        page.reload()
        expect(page.locator("#search-results .badge").first).to_have_text("equal over the reals")
        page.close()
