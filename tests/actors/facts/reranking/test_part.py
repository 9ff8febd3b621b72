"""Row of the reranker: whether there is one, and what is missing where it cannot be started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from actors.facts.reranking.part import reranker_row
from actors.part import Level, Part, Parts
from messages.embedder import RERANKER
from tests.actors.facts.reranking.rig import folder_in
from tests.actors.facts.test_embedding import findings_of, plan_of


def part_of(root: Path, **facts: object) -> Part | None:
    plan = plan_of(root, {}, **facts)
    return reranker_row(plan, Parts(plan, ()))


def make_part(root: Path, **facts: object) -> Part:
    part = part_of(root, **facts)
    assert part is not None
    return part


@pytest.mark.req("X-83")
def test_none_is_the_default_and_makes_no_actor(tmp_path: Path) -> None:
    assert part_of(tmp_path) is None
    assert part_of(tmp_path, reranker_model="/anything") is None


def test_a_service_needs_a_models_name_and_nothing_else(tmp_path: Path) -> None:
    part = make_part(tmp_path, reranker="litellm", reranker_model="cohere/rerank-v3.5")

    assert (part.unusable, part.address, part.spec.core) == ("", RERANKER, False)
    assert [(finding.level, finding.detail) for finding in findings_of(part)] == [
        (Level.OK, "litellm: cohere/rerank-v3.5")
    ]


@pytest.mark.parametrize("kind", ["litellm", "onnx"])
def test_without_a_models_name_it_says_which_setting_is_missing(tmp_path: Path, kind: str) -> None:
    part = make_part(tmp_path, reranker=kind)

    assert part.unusable == f"facts.reranker is {kind!r}: facts.reranker_model must say which model"
    assert findings_of(part) == []


@pytest.mark.req("S2-42")
@pytest.mark.usefixtures("runtime")
def test_a_folders_model_is_found_under_the_data_root_or_anywhere(tmp_path: Path) -> None:
    place = folder_in(tmp_path / "data" / "rerankers" / "minilm")

    for name in (str(place), "rerankers/minilm"):
        part = make_part(tmp_path, reranker="onnx", reranker_model=name)

        assert part.unusable == ""
        assert [finding.detail for finding in findings_of(part)] == [f"onnx: {place}"]


@pytest.mark.parametrize("name", ["no/such/folder", "~nobody/x", "cohere/rerank-v3.5"])
@pytest.mark.usefixtures("runtime")
def test_a_folder_without_files_is_refused_with_what_must_be_there(tmp_path: Path, name: str) -> None:
    part = make_part(tmp_path, reranker="onnx", reranker_model=name)

    assert part.unusable.startswith(f"facts.reranker is 'onnx', facts.reranker_model {name!r}: must be a folder with")


def test_without_the_libraries_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    place = folder_in(tmp_path / "model")

    part = make_part(tmp_path, reranker="onnx", reranker_model=str(place))

    assert "onnxruntime must be installed (pip install onnxruntime)" in part.unusable
