"""`agent try` as somebody meets it: each thing to try is done, the bot dies and lives, and its actors are seen."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.actors.cli.command import inherited, start
from tests.browser.rig import Chat, findings
from tests.patience import PATIENCE_S

THINGS = ("command", "memory", "reminder", "kill", "file")


@pytest.fixture
def tried(tmp_path: Path, page: Page) -> Iterator[Chat]:
    """The page of `agent try`."""
    command = [*start("agent"), "try", "--data", str(tmp_path / "data"), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=inherited(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        yield Chat(page, address[0])
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


def test_each_thing_to_try_is_done(tried: Chat) -> None:
    page = tried.page
    for thing in THINGS:
        page.locator("#tour").evaluate("box => { box.open = true; }")
        page.locator(f"#tour-list [data-thing={thing}]").click()
        expect(page.locator(f"#tour-list [data-thing={thing}] .done")).to_be_attached(timeout=PATIENCE_S * 1000)
    expect(page.locator("#tour-count")).to_have_text("5 of 5")
    said = tried.log.inner_text()
    assert len(re.findall(r"sleep 3; echo still here \d+ \(interrupted\)", said)) == 1
    assert "sorted.txt" in said


def test_its_actors_are_shown_beside_the_chat(tried: Chat) -> None:
    tried.page.set_viewport_size({"width": 1500, "height": 900})
    tried.page.get_by_role("button", name="Actors").click()
    observer = tried.page.frame_locator("#observer")
    expect(observer.locator("#state_text")).to_have_text("live")
    tried.say("run: echo hello")
    tried.expect("hello")
    expect(observer.locator("#turn .span.model")).not_to_have_count(0)
    expect(observer.locator("#turn .span.shell")).not_to_have_count(0)
    expect(observer.locator("#turn_of")).to_contain_text("answered in")
    expect(observer.locator("#log")).to_contain_text("the chain holds")
    assert findings(tried.page) == []


def test_a_model_on_this_machine_is_fetched_only_where_the_person_agrees(tmp_path: Path, page: Page) -> None:
    pytest.importorskip("xllamacpp", reason="without the engine the page has no such button")
    env = {**inherited(), "HF_ENDPOINT": "http://127.0.0.1:9"}
    command = [*start("agent"), "try", "--data", str(tmp_path / "data"), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address is not None
        tried = Chat(page, address[0])
        button = page.locator("#local-model")
        expect(button).to_be_visible()
        button.click()
        expect(page.get_by_role("dialog")).to_contain_text("127.0.0.1:9")
        page.get_by_role("button", name="Cancel").click()
        expect(button).to_be_enabled()
        button.click()
        page.get_by_role("button", name="Fetch it").click()
        expect(page.locator("#toast")).to_contain_text("127.0.0.1 cannot be reached", timeout=PATIENCE_S * 1000)
        expect(button).to_be_enabled()
        assert findings(tried.page) == []
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
