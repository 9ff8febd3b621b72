"""Button of the page for a model on this machine: the offer, its notice, the fetching and the choice."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from actors.cli.local_model.offer import Offer, offer_of
from actors.local_model.store import Record, Store
from actors.settings.load import load
from actors.settings.schema import Settings
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from lab.playground.world.local_offer import LocalOffer
from tests.actors.cli.trying.test_bot import Tried
from tests.patience import PATIENCE_S, eventually
from tests.trusted import write_settings


def settings_of(folder: Path, **given: object) -> Settings:
    return load(environ={}, folder=folder, overrides={"local_model.folder": str(folder / "models"), **given})


def take_offer(settings: Settings, **environ: str) -> Offer:
    offer = offer_of(settings, environ)
    assert offer is not None
    return offer


def add_model(folder: Path, name: str) -> Store:
    (file := folder / f"{name}.gguf").write_bytes(b"GGUF and more")
    store = Store(folder / "models", "bin/agent")
    store.add(name, file, lambda *_: None)
    return store


def keep_model(folder: Path, name: str) -> None:
    """Have a model of the catalogue as if it had been fetched."""
    store = Store(folder / "models", "bin/agent")
    (file := store.fetched_file(name)).write_bytes(b"GGUF")
    store.keep(Record(name=name, file=file.name, bytes=4, sha256="0" * 64, source="https://127.0.0.1/"))


@pytest.mark.req("X-214")
def test_the_offer_is_a_chosen_model_else_one_that_is_here_else_the_default(tmp_path: Path) -> None:
    default = take_offer(settings_of(tmp_path))
    assert (default.name, default.is_here()) == ("local/qwen3-1.7b", False)
    assert "Qwen3 1.7B, Q8_0 (Apache-2.0), 1.83 GB, is fetched from https://huggingface.co/" in default.notice
    assert str(tmp_path / "models") in default.notice

    add_model(tmp_path, "smol")
    own = take_offer(settings_of(tmp_path))
    assert (own.name, own.notice, own.is_here()) == ("local/smol", "", True)
    keep_model(tmp_path, "qwen3-1.7b")
    assert take_offer(settings_of(tmp_path)).name == "local/qwen3-1.7b"
    chosen = settings_of(tmp_path, **{"model.choices": ["offline", "local/qwen3-4b"]})
    assert (take_offer(chosen).name, take_offer(chosen).is_here()) == ("local/qwen3-4b", False)
    assert offer_of(settings_of(tmp_path, **{"model.name": "local/smol"})) is None


def test_a_model_that_cannot_be_had_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="HF_ENDPOINT"):
        take_offer(settings_of(tmp_path), HF_ENDPOINT="http://127.0.0.1:9").fetch()
    chosen = settings_of(tmp_path, **{"model.choices": ["local/unknown"]})
    with pytest.raises(ValueError, match="not in the list"):
        take_offer(chosen).fetch()


class Page:
    """Requests of the page."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._place = parts.netloc
        (token,) = parse_qs(parts.query)["token"]
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self._place, timeout=PATIENCE_S)
        connection.request(method, path, json.dumps(body or {}) if method == "POST" else None, self._headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        connection.close()
        return response.status, answer

    @property
    def offer(self) -> Any:
        return self.ask("GET", "/control/state")[1]["local_model"]


def offer_to(server: PlaygroundServer, folder: Path, fetch: Callable[[], None], here: threading.Event) -> Page:
    server.accompany(folder, lambda: None, LocalOffer("local/smol", "Smol is fetched", here.is_set, fetch))
    return Page(server.page_url)


def test_the_page_is_offered_nothing_without_a_model(tmp_path: Path) -> None:
    with PlaygroundServer() as server:
        page = Page(server.page_url)
        for _ in range(2):
            assert page.offer is None
            assert page.ask("POST", "/control/fetch_model")[0] == 400
            server.accompany(tmp_path, lambda: None)


def test_a_model_is_fetched_once_and_only_when_the_page_asks(tmp_path: Path) -> None:
    begun, may_end, here = list[int](), threading.Event(), threading.Event()

    def fetch() -> None:
        begun.append(1)
        may_end.wait(PATIENCE_S)
        here.set()

    with PlaygroundServer() as server:
        page = offer_to(server, tmp_path, fetch, here)
        notice = {"name": "local/smol", "notice": "Smol is fetched", "problem": ""}
        assert page.offer == {**notice, "is_here": False, "is_fetching": False}
        assert not begun
        for _ in range(2):
            assert page.ask("POST", "/control/fetch_model") == (200, {})
        assert page.offer == {**notice, "is_here": False, "is_fetching": True}
        may_end.set()
        eventually(lambda: page.offer == {**notice, "is_here": True, "is_fetching": False})
        page.ask("POST", "/control/fetch_model")
    assert begun == [1]


def test_a_problem_is_told_and_the_next_try_forgets_it(tmp_path: Path) -> None:
    problems, here = ["no such place"], threading.Event()

    def fetch() -> None:
        if problems:
            raise ValueError(problems.pop())
        here.set()

    with PlaygroundServer() as server:
        page = offer_to(server, tmp_path, fetch, here)
        page.ask("POST", "/control/fetch_model")
        eventually(lambda: page.offer["problem"] == "no such place" and not page.offer["is_fetching"])
        page.ask("POST", "/control/fetch_model")
        eventually(lambda: page.offer["is_here"] and not page.offer["problem"])


@pytest.mark.slow
def test_agent_try_offers_the_model_that_is_here_and_the_command_that_chooses_it(tmp_path: Path) -> None:
    add_model(tmp_path, "smol")
    write_settings(tmp_path, f'[local_model]\nfolder = "{tmp_path}/models"\n')
    tried = Tried(tmp_path)
    try:
        page = Page(tried.url)
        assert page.offer | {"notice": ""} == {
            "name": "local/smol",
            "notice": "",
            "is_here": True,
            "is_fetching": False,
            "problem": "",
        }
        eventually(lambda: "model" in [each["name"] for each in page.ask("GET", "/control/state")[1]["commands"]])
        typed = {"channel_id": str(GENERAL_ID), "command": "model", "focused": "name", "options": {"name": "loc"}}
        _, told = page.ask("POST", "/control/complete", typed)
    finally:
        code, complaints = tried.end()
    assert [choice["value"] for choice in told["choices"]] == ["local/smol"]
    assert code == 0, complaints
