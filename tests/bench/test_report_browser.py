"""The report in a real browser: it is moved by keyboard, fits a phone, runs nothing of a log's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reviewers.bench.report import report
from tests.bench.reports import made_up_bench
from tests.bench.test_report import hostile_bench

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver
    from selenium.webdriver.remote.webelement import WebElement

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None, reason="needs Debian's chromium and chromium-driver"
    ),
    pytest.mark.slow,
    # The driver's log pipe is left to the collector by selenium.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    return {
        name: _written(folder / f"{name}.html", bench)
        for name, bench in (("plain", made_up_bench()), ("hostile", hostile_bench()))
    }


def _written(path: Path, bench: Any) -> str:
    path.write_text(report(bench, bench.as_dict()), "utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser: WebDriver, pages: dict[str, str]) -> WebDriver:
    _resize(browser, 1280)
    browser.get(pages["plain"])
    return browser


def _resize(browser: WebDriver, width: int) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )


def one(browser: WebDriver, selector: str) -> WebElement:
    return browser.find_element("css selector", selector)


def open_all(browser: WebDriver) -> None:
    """Open every reviewer that is closed, by keyboard."""
    for summary in browser.find_elements("css selector", ".reviewer:not([open]) > summary"):
        press(summary, "ENTER")


def cells(browser: WebDriver) -> dict[str, str]:
    found = browser.find_elements("css selector", "#reviewer-0 [data-cell]")
    return {str(cell.get_attribute("data-cell")): cell.text for cell in found}


def press(element: WebElement, key: str, times: int = 1) -> None:
    from selenium.webdriver.common.keys import Keys

    element.send_keys(getattr(Keys, key) * times)


def test_the_arrow_keys_move_threshold_table_and_marks(page: WebDriver) -> None:
    slider = one(page, "#reviewer-0 .slider")
    before, place = cells(page), one(page, "#reviewer-0 .moving").get_attribute("cx")

    press(slider, "ARROW_LEFT", 15)

    after = cells(page)
    flagged = [int(now["tp"]) + int(now["fp"]) for now in (before, after)]
    assert flagged[1] == flagged[0] + 15
    assert sum(int(after[name]) for name in ("tp", "fp", "tn", "fn")) == 200
    assert after["words"] != before["words"]
    assert one(page, "#reviewer-0 .moving").get_attribute("cx") != place
    assert "flag from" in str(slider.get_attribute("aria-valuetext"))


def test_the_ends_of_the_slider_flag_everything_and_nothing(page: WebDriver) -> None:
    slider = one(page, "#reviewer-0 .slider")

    press(slider, "HOME")
    everything = cells(page)
    press(slider, "END")
    nothing = cells(page)

    assert (everything["tn"], everything["fn"]) == ("0", "0")
    assert (nothing["tp"], nothing["fp"], nothing["precision"]) == ("0", "0", "–")


def test_the_slider_begins_at_what_the_reviewer_did_and_goes_back_there(page: WebDriver) -> None:
    counts = made_up_bench().measured["careful"].counts.as_dict()
    began = cells(page)

    press(one(page, "#reviewer-0 .slider"), "HOME")
    press(one(page, "#reviewer-0 .back"), "ENTER")

    assert cells(page) == began
    assert {name: int(began[name]) for name in counts} == counts


def test_the_share_of_bad_results_moves_what_is_expected_everywhere(page: WebDriver) -> None:
    share = one(page, "#reviewer-0 .share")
    share.clear()
    share.send_keys("50")

    counts = made_up_bench().measured["careful"].counts
    alarms = 500 * counts.fp / (counts.fp + counts.tn)
    caught = 500 * counts.tp / (counts.tp + counts.fn)
    assert float(cells(page)["expected-precision"]) == pytest.approx(
        caught / (caught + alarms), abs=0.001
    )
    assert "500 of them bad" in cells(page)["words"]
    assert one(page, "#reviewer-1 .share").get_attribute("value") == "50"


def test_a_share_that_is_none_is_refused_in_words(page: WebDriver) -> None:
    share = one(page, "#reviewer-0 .share")
    share.clear()
    share.send_keys("150")

    assert cells(page)["words"] == "Give a share from 0 to 100 percent."
    assert cells(page)["expected-precision"] == "–"


def test_intervals_of_the_slider_are_those_of_the_figures(page: WebDriver) -> None:
    recall = made_up_bench().measured["careful"].figures()["recall"]

    said = cells(page)["recall"]

    assert said == f"{recall['value']:.2f} ({recall['low']:.2f} to {recall['high']:.2f})"


def test_a_link_in_the_table_opens_the_reviewer(page: WebDriver) -> None:
    assert one(page, "#reviewer-1").get_attribute("open") is None

    press(one(page, "a[href='#reviewer-1']"), "ENTER")

    assert one(page, "#reviewer-1").get_attribute("open") == "true"


def test_one_button_opens_all_reviewers_and_closes_them_again(page: WebDriver) -> None:
    button = one(page, "#open-all")

    press(button, "ENTER")
    opened = page.execute_script("return document.querySelectorAll('.reviewer[open]').length")
    press(button, "ENTER")

    assert opened == 3
    assert not page.find_elements("css selector", ".reviewer[open]")


def test_everything_that_scrolls_or_moves_is_reached_by_tab(page: WebDriver) -> None:
    reached = page.execute_script(
        "return [...document.querySelectorAll('.scroll, .slider, .share, button, summary, pre')]"
        ".every((one) => one.tabIndex >= 0)"
    )

    assert reached


@pytest.mark.parametrize("name", ["plain", "hostile"])
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_no_page_is_wider_than_its_screen(
    browser: WebDriver, pages: dict[str, str], name: str, width: int
) -> None:
    _resize(browser, width)
    browser.get(pages[name])
    open_all(browser)

    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_no_text_of_a_log_runs(browser: WebDriver, pages: dict[str, str]) -> None:
    browser.get(pages["hostile"])
    open_all(browser)

    assert browser.execute_script("return window.ran === undefined")
    assert "window.ran = 1" in one(browser, "body").text


def test_a_script_that_got_in_would_not_run(browser: WebDriver, tmp_path: Path) -> None:
    bench = made_up_bench()
    broken = report(bench, bench.as_dict()).replace(
        "</body>", "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'></body>"
    )
    (tmp_path / "broken.html").write_text(broken, "utf-8")

    browser.get((tmp_path / "broken.html").as_uri())

    assert browser.execute_script("return window.ran === undefined")
    assert "Content Security Policy" in str(_log(browser, "browser"))


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_the_console_is_silent_and_nothing_is_fetched(
    browser: WebDriver, pages: dict[str, str], name: str
) -> None:
    _log(browser, "browser")
    _log(browser, "performance")

    browser.get(pages[name])
    open_all(browser)
    press(one(browser, ".slider"), "HOME")

    sent = [
        message["params"]["request"]["url"]
        for message in (
            json.loads(entry["message"])["message"] for entry in _log(browser, "performance")
        )
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert _log(browser, "browser") == []
    assert sent == [pages[name]]


def _log(browser: WebDriver, kind: str) -> list[dict[str, Any]]:
    return list(browser.get_log(kind))  # type: ignore[no-untyped-call]
