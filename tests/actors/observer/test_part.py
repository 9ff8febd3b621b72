from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from actors.part import UnusableError
from actors.parts import parts
from messages.status import OBSERVER, TRACES
from tests.actors.facts.plan import plan_of


def kinds(folder: Path, toml: str, **changes: object) -> set[str]:
    plan = replace(plan_of(folder, toml), **changes)  # type: ignore[arg-type]
    return {part.spec.kind for part in parts(plan)} & {OBSERVER.kind, TRACES.kind}


def test_both_are_made_only_where_they_are_wanted(tmp_path: Path) -> None:
    on = '[observer]\nenabled = true\n[traces]\nendpoint = "http://127.0.0.1:4318"\n'

    assert kinds(tmp_path, "") == set()
    assert kinds(tmp_path, on) == {OBSERVER.kind, TRACES.kind}
    assert kinds(tmp_path, on, caller_folder=tmp_path) == set()
    assert kinds(tmp_path, on, host="h1") == set()


def test_without_the_library_the_agent_does_not_start_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http", None)
    plan = plan_of(tmp_path, '[traces]\nendpoint = "http://127.0.0.1:4318"\n')

    with pytest.raises(
        UnusableError, match=r"traces\.endpoint is 'http://127\.0\.0\.1:4318': install the extra `otel`"
    ):
        parts(plan).specs()
