"""Precedence: what is short goes before what is long, though that was begun earlier."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from actors.embedder.local import LocalModel
from actors.embedder.own import LocalBackend
from actors.embedder.precedence import Precedence
from messages.embedder import TextRole
from tests.patience import PATIENCE_S


def test_between_its_steps_long_work_waits_for_all_that_is_shorter() -> None:
    precedence = Precedence()
    done: list[str] = []

    def page(between: Callable[[], None]) -> None:
        between()
        done.append("page")

    with precedence.work(4_000) as between:
        with precedence.work(10):
            thread = threading.Thread(target=page, args=(between,))
            thread.start()
            thread.join(0.05)
            assert done == []
        thread.join(PATIENCE_S)
    assert done == ["page"]


def test_short_work_and_work_of_one_size_wait_for_nobody() -> None:
    precedence = Precedence()
    with precedence.work(4_000), precedence.work(10) as first, precedence.work(10) as second:
        first()
        second()


def test_work_that_failed_holds_nobody_up() -> None:
    precedence = Precedence()
    with precedence.work(4_000) as between:
        try:
            with precedence.work(10):
                raise ValueError("no such word")
        except ValueError:
            between()


def test_the_local_model_asks_before_each_layer_whether_it_may_go_on() -> None:
    asked: list[str] = []
    LocalModel.load().bert.token_vectors([[101, 102]], lambda: asked.append("layer"))
    assert len(asked) == 6


def test_a_question_is_answered_while_pages_are_at_work() -> None:
    async def race() -> list[str]:
        backend = LocalBackend()
        await backend.warm_up()
        done: list[str] = []

        async def embed(name: str, texts: list[str], role: TextRole) -> None:
            await backend.embed(texts, role)
            done.append(name)

        pages = ["words of owls and mice " * 40] * 12
        await asyncio.gather(embed("pages", pages, TextRole.DOCUMENT), embed("question", ["hello"], TextRole.QUERY))
        await backend.close()
        return done

    assert asyncio.run(race()) == ["question", "pages"]
    assert LocalBackend.limits.queries > 1  # one is left for turns
