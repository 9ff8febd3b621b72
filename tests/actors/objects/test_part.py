"""Row of the layer: its parts, its imports, and rules without knowledge of a harness."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel import ActorSpec
from actors.objects.part import LAYER
from actors.objects.row import keep_of, objects_part
from actors.parts import LAYERS, parts
from messages.base import Surface, Window
from messages.objects import OBJECTS_KIND, objects_of
from tests.actors.objects.plan import plan_of

ROOT = Path(__file__).parents[3]
WINDOW = Window(surface=Surface.DISCORD_THREAD, id="1")


def imported_modules(folder: str) -> Iterator[str]:
    """Modules that a room's files import."""
    for path in (ROOT / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or ""


@pytest.mark.req("S3-04", "S3-05")
def test_the_layer_calls_no_model_runs_no_command_and_opens_no_database() -> None:
    forbidden = ("litellm", "google", "subprocess", "apsw", "sqlite", "socket", "aiohttp", "discord", "actors.shell")
    assert [name for name in imported_modules("actors/objects") if name.startswith(forbidden)] == []


@pytest.mark.req("S3-46", "S3-47")
def test_the_rules_know_values_and_texts_and_neither_actors_nor_requests() -> None:
    rooms = {
        ".".join(name.split(".")[:2])
        for name in imported_modules("domain/objects")
        if name.startswith(("domain", "messages"))
    }
    blocks = {"domain.memory", "domain.turn"}  # form and prefix of the block that news stands in
    assert rooms == {"domain.objects", "domain.text", "messages.base", "messages.objects"} | blocks
    assert [name for name in imported_modules("domain/objects") if name.startswith("domain.turn")] == [
        "domain.turn.prompt"
    ]
    assert [name for name in imported_modules("domain/objects") if name.startswith("actors")] == []


def test_the_row_words_results_of_a_windows_own_actor_and_leaves_room_for_them(tmp_path: Path) -> None:
    part = objects_part(plan_of(tmp_path))
    assert part.words is not None
    assert part.words(WINDOW) == objects_of(WINDOW)
    assert part.words_tokens == 45_000
    assert part.spec.kind == OBJECTS_KIND
    assert part.spec.idle_s == 60.0
    assert {path.name for path in part.skills} == {"context-objects"}
    assert not objects_part(plan_of(tmp_path, **{"shell.enabled": False})).skills


def test_a_small_window_of_the_model_gets_small_bounds(tmp_path: Path) -> None:
    keep = keep_of(plan_of(tmp_path, **{"model.max_history_tokens": 10_000}))
    assert (keep.active_tokens, keep.pinned_tokens, keep.linger_tokens) == (3_000, 2_000, 1_500)
    letter = keep_of(plan_of(tmp_path, **{"objects.linger_tokens": 0, "objects.big_tokens": 0}))
    assert (letter.linger_tokens, letter.big_tokens, letter.results, letter.turns) == (0, 0, 5, 3)


@pytest.mark.req("S3-47")
def test_with_the_layer_the_windows_ask_it_and_without_it_nobody(tmp_path: Path) -> None:
    assert parts(plan_of(tmp_path)).wording is objects_of
    plain = parts(plan_of(tmp_path, **{"layers.objects": False}))
    assert (plain.wording, plain.wording_tokens) == (None, 0)
    kinds = {part.spec.kind for part in plain}
    assert kinds.isdisjoint({OBJECTS_KIND, "object-store"})
    assert not any(name.startswith("objects.") for name in plain.operator_verbs)
    assert not any(path.name == "context-objects" for path in plain.skills)


def test_both_actors_of_the_layer_are_made_by_their_first_message(tmp_path: Path) -> None:
    assert LAYER.name in {layer.name for layer in LAYERS}
    specs: list[ActorSpec] = [part.spec for part in parts(plan_of(tmp_path))]
    ours = [spec for spec in specs if spec.kind in (OBJECTS_KIND, "object-store")]
    assert len(ours) == 2
    assert not any(spec.core for spec in ours)
