"""The page in a real Chromium: it loads from a file without errors, sorts, filters, opens, reacts to keys, prints.

Nothing is installed here; without a Chromium these tests are skipped (docs/report.md says how to get one).
"""

import json

import pytest

from rmtsim.report import entries_of_results, report_page
from rmtsim.report._entries import entries_of_store
from rmtsim.runs._store.store import Store
from tests.report import made
from tests.report.browser import NAMES, Browser, executable
from tests.report.test_page import hostile_store  # noqa: F401  (a fixture)

pytestmark = pytest.mark.skipif(
    executable() is None,
    reason=f"no Chromium on the path ({', '.join(NAMES)}); docs/report.md says how to get one",
)

SHOWN = "[...document.querySelectorAll('tbody.claim')].filter(body => !body.hidden)"
NAMES_SHOWN = f"{SHOWN}.map(body => body.querySelector('code').textContent)"
PAIR = "c-dong.eq3"


@pytest.fixture(scope="module")
def browser():
    with Browser() as found:
        yield found


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(report_page(entries_of_results(made.real(), command="rmtsim verify")), encoding="utf-8")
    return file


@pytest.fixture
def page(browser, path):
    browser.complaints.clear()
    browser.requests.clear()
    browser.look(1280, 900)
    browser.open(path)
    yield browser
    assert browser.complaints == []
    assert set(browser.requests) <= {path.as_uri(), "about:blank"}


def shown(page):
    return page.value(NAMES_SHOWN)


def choose(page, name, value):
    page.value(
        f"(s => {{s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change', {{bubbles: true}}))}})"
        f"(document.querySelector('[data-filter={name}]'))"
    )


def test_filters_and_search(page):
    results = made.real()
    assert sorted(shown(page)) == sorted(each.claim for each in results)
    for name, value, wanted in (
        ("verdict", "refuted", lambda r: str(r.verdict) == "REFUTED"),
        ("paper", "li", lambda r: r.source.startswith("li ")),
        ("evidence", "computed", lambda r: r.evidence == "computed"),
        ("kind", "identity", lambda r: r.kind == "identity"),
        ("standing", "theorem", lambda r: r.standing == "theorem"),
        ("form", "corrected", lambda r: r.form == "corrected"),
    ):
        choose(page, name, value)
        assert sorted(shown(page)) == sorted(each.claim for each in results if wanted(each))
        assert shown(page)
        choose(page, name, "")
    page.value(
        "(s => {s.value = 'HESSIAN square'; s.dispatchEvent(new Event('input'))})(document.getElementById('search'))"
    )
    assert sorted(shown(page)) == ["dong.eq3", "dong.eq3/corrected"]
    assert page.value("document.getElementById('count').textContent").startswith(
        f"2 of {len(results)} claims shown"
    )
    page.value("document.getElementById('reset').click()")
    assert len(shown(page)) == len(results)


def test_sorts_both_ways_and_says_so(page):
    first = shown(page)
    for key, name in (("verdict", "verdict"), ("kind", "kind"), ("paper", "paper"), ("standing", "standing")):
        column = f"[...document.querySelectorAll('tbody.claim')].map(b => b.dataset.{name})"
        page.value(f"document.querySelector('button[data-key={key}]').click()")
        rising = page.value(column)
        assert (
            page.value(f"document.querySelector('button[data-key={key}]').closest('th').ariaSort")
            == "ascending"
        )
        runs = [value for place, value in enumerate(rising) if not place or rising[place - 1] != value]
        assert len(runs) == len(set(rising))  # equal values are adjacent
        if key == "verdict":
            assert runs == [
                word for word in ("refuted", "inconclusive", "untested", "confirmed") if word in runs
            ]
        page.value(f"document.querySelector('button[data-key={key}]').click()")
        falling = page.value(column)
        assert [
            value for place, value in enumerate(falling) if not place or falling[place - 1] != value
        ] == runs[::-1]
    page.value("document.querySelector('button[data-key=claim]').click()")
    assert shown(page) == first


def visible(page, claim=PAIR):
    return page.value(f"document.getElementById('{claim}-card').getClientRects().length > 0")


def test_a_claim_opens_and_shows_its_figure(page):
    assert not visible(page)
    page.value(f"document.querySelector('[id=\"{PAIR}\"] .toggle').click()")
    assert visible(page)
    assert page.value(f"document.querySelector('[id=\"{PAIR}\"] .toggle').ariaExpanded") == "true"
    assert (
        page.value(f"document.querySelector('[id=\"{PAIR}-card\"] svg').getBoundingClientRect().height") > 100
    )
    page.value("document.getElementById('close-all').click()")
    assert not visible(page)
    page.value("document.getElementById('open-all').click()")
    assert visible(page)


def test_an_address_opens_its_claim(page, path):
    page.open(path, PAIR)
    assert visible(page)
    page.value(f"document.querySelector('[id=\"{PAIR}-card\"] .two a').click()")
    page.value("new Promise(done => setTimeout(done, 50))")
    assert visible(page, f"{PAIR}_corrected")


def test_the_keyboard_is_enough(page):
    page.press("/", "/")
    assert page.value("document.activeElement.id") == "search"
    page.value("document.querySelector('.toggle').focus()")
    page.press("ArrowDown")
    second = page.value("document.activeElement.closest('tbody').id")
    assert second == page.value("document.querySelectorAll('tbody.claim')[1].id")
    page.press("Enter", "\r")
    assert visible(page, second)
    page.press("Escape")
    assert not visible(page, second)
    assert page.value("document.activeElement.closest('tbody').id") == second


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_no_width_scrolls_sideways(page, path, width):
    page.look(width, 800, phone=width < 500)
    page.open(path, PAIR)
    assert page.value("document.documentElement.scrollWidth - window.innerWidth") <= 0


def _contrast(one, other):
    """Of two colours as WCAG defines it."""

    def light(colour):
        parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_both_colour_schemes_can_be_read(page, path, dark):
    page.look(1280, 900, dark=dark)
    page.open(path)
    colours = page.value(
        "['confirmed', 'refuted', 'inconclusive']"
        ".map(w => getComputedStyle(document.querySelector('footer .v.' + w)).color)"
        ".concat(getComputedStyle(document.querySelector('.quiet')).color, getComputedStyle(document.body).color)"
    )
    ground = page.value("getComputedStyle(document.body).backgroundColor")
    assert all(_contrast(colour, ground) >= 4.5 for colour in colours)
    assert (_contrast(ground, "rgb(0, 0, 0)") < 3) == dark
    page.value(
        "(s => {s.value = 'light'; s.dispatchEvent(new Event('change'))})(document.getElementById('theme'))"
    )
    assert page.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.value("localStorage.clear()")


def test_it_prints_the_table_and_the_open_claims(page, path, tmp_path):
    page.open(path, PAIR)
    page.look(800, 1100, dark=True, media="print")
    assert visible(page)
    assert not visible(page, "c-dong.thm1.diagonal-limit")
    assert page.value("getComputedStyle(document.getElementById('filters')).display") == "none"
    assert page.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.pdf(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


def test_without_a_script_everything_is_there(page, path):
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(path)
        assert visible(page)
        assert page.value("getComputedStyle(document.getElementById('filters')).display") == "none"
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)


def test_a_hostile_store_runs_nothing(browser, hostile_store, tmp_path):  # noqa: F811
    with Store(hostile_store, read_only=True) as store:
        text = report_page(entries_of_store(store))
    file = tmp_path / "evil.html"
    file.write_text(text, encoding="utf-8")
    browser.complaints.clear()
    browser.requests.clear()
    browser.open(file)
    browser.value("document.getElementById('open-all').click()")
    assert browser.value("typeof window.pwned") == "undefined"
    assert browser.value("document.scripts.length") == 2
    assert browser.value("document.querySelectorAll('img, iframe, object, u, s').length") == 0
    assert browser.complaints == []
    assert set(browser.requests) <= {file.as_uri(), "about:blank"}


def test_even_unescaped_a_script_would_not_run(browser, path, tmp_path):
    file = tmp_path / "broken.html"
    text = path.read_text(encoding="utf-8")
    evil = "<script>window.pwned=1</script><img src=x onerror='window.pwned=2'>"
    file.write_text(text.replace("<h1>", f"{evil}<h1>", 1), encoding="utf-8")
    browser.open(file)
    assert browser.value("typeof window.pwned") == "undefined"
    assert any("Content Security Policy" in each for each in browser.complaints)
