from __future__ import annotations

import json
from pathlib import Path

import pytest

from domain.facts import prompts
from messages.facts import EntryRole
from tests.actors.facts.rig import FactsRig


@pytest.fixture
def rig(tmp_path: Path) -> FactsRig:
    return FactsRig(tmp_path / "data", turns_a_call=1)


def tell(rig: FactsRig, tokens: int, mark: str = "stamp") -> None:
    """Say something of which a fact of so many tokens is made."""
    text = (f"{mark} " * tokens)[: 4 * tokens].rstrip() + "s"
    rig.model.extract = lambda _: json.dumps([text])
    rig.say(f"I collect {mark}")


def names(rig: FactsRig, pattern: str = "summaries/*/*.md") -> list[str]:
    return [f"{path.parent.name}/{path.name}" for path in rig.paths(pattern)]


@pytest.mark.req("S2-67", "S2-69", "X-90")
def test_little_is_not_summarised(rig: FactsRig) -> None:
    tell(rig, 60)

    assert rig.model.purposes() == ["facts.extract"]
    assert not (rig.memory / "entries" / "c" / "summaries").exists()


def test_little_after_little_is_summarised_when_it_is_enough(rig: FactsRig) -> None:
    tell(rig, 60, "stamp")
    tell(rig, 60, "coin")

    assert rig.model.purposes()[-1] == "facts.summarize:brief"
    assert names(rig) == ["L3/final.md"]


@pytest.mark.req("S2-21", "S2-23", "S2-27", "S2-68", "S2-71", "S2-84")
@pytest.mark.parametrize(
    ("tokens", "level", "files", "prompt"),
    [
        (200, "brief", ["L3/final.md"], prompts.BRIEF_PROMPT),
        (800, "standard", ["L3/final.md"], prompts.STANDARD_PROMPT),
        (4_000, "detailed", ["L1/chunk_0.md", "L1/chunk_1.md", "L3/final.md"], prompts.META_PROMPT),
    ],
)
def test_each_level_makes_its_files(rig: FactsRig, tokens: int, level: str, files: list[str], prompt: str) -> None:
    tell(rig, tokens)

    assert names(rig) == files
    assert rig.model.asked[-1].system_prompt.startswith(prompt)
    text = rig.paths("summaries/L3/final.md")[0].read_text()
    for key in (f'level: "{level}"', "input_tokens: ", "output_tokens: ", "compression_ratio: ", 'summary_kind: "L3"'):
        assert key in text
    (final,) = rig.entries("summaries/L3/final.md")
    assert (final.role, final.content) == (EntryRole.SUMMARY, rig.recall("x").summary)


@pytest.mark.req("S2-19", "S2-20", "S2-68")
def test_the_longest_texts_make_a_tree(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data")
    rig.stop()
    for number in range(3):
        rig.write(f"c/facts/{number}.md", f"{number} " * 18_000)
    rig.start()
    rig.model.extract = lambda _: '["The user collects"]'
    rig.say("I collect")

    assert rig.model.purposes()[-1] == "facts.summarize:hierarchical"
    found = names(rig)
    chunks = [name for name in found if name.startswith("L1/")]
    assert len(chunks) > 5
    assert [name for name in found if name.startswith("L2/")] == [
        f"L2/group_{n}.md" for n in range(-(-len(chunks) // 5))
    ]
    assert "L3/final.md" in found


@pytest.mark.req("S2-70", "X-86")
def test_a_summary_is_made_of_the_one_before_and_what_came_since(rig: FactsRig) -> None:
    rig.model.summarize = lambda _: "They collect " + "stamps " * 40
    tell(rig, 200, "stamp")
    tell(rig, 110, "coin")

    shown = rig.model.asked[-1].messages[0].text
    assert shown.startswith("Earlier summary:\nThey collect")
    assert "coin" in shown
    assert "stamp stamp" not in shown


@pytest.mark.req("S2-23")
def test_a_summary_made_anew_has_the_same_id(rig: FactsRig) -> None:
    tell(rig, 200, "stamp")
    (before,) = rig.entries("summaries/L3/final.md")
    tell(rig, 200, "coin")
    (after,) = rig.entries("summaries/L3/final.md")

    assert before.id == after.id
    assert before.created_at < after.created_at


@pytest.mark.req("S2-22", "X-86")
def test_parts_that_a_later_summary_has_not_are_deleted(rig: FactsRig) -> None:
    tell(rig, 7_000, "stamp")
    assert len(rig.paths("summaries/L1/*.md")) == 3
    tell(rig, 200, "coin")

    assert names(rig) == ["L3/final.md"]
    assert names(rig, "deleted/summaries/L1/*.md") == ["L1/chunk_0.md", "L1/chunk_1.md", "L1/chunk_2.md"]


@pytest.mark.req("S2-72")
def test_a_model_that_fails_leaves_the_summary_as_it_was(rig: FactsRig) -> None:
    tell(rig, 200, "stamp")
    before = rig.paths("summaries/L3/final.md")[0].read_bytes()
    rig.model.failures["facts.summarize:brief"] = "down"
    tell(rig, 200, "coin")

    assert rig.paths("summaries/L3/final.md")[0].read_bytes() == before
    assert rig.figures()["owed_turns"] == 0
    rig.model.failures.clear()
    tell(rig, 100, "card")
    assert "coin" in rig.model.asked[-1].messages[0].text


@pytest.mark.req("S2-93")
def test_summaries_can_be_switched_off(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", enable_summarization=False)
    tell(rig, 200)

    assert rig.model.purposes() == ["facts.extract"]


@pytest.mark.req("S2-85")
def test_what_the_texts_are_is_a_setting(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", content_type="journal")
    tell(rig, 200)

    assert prompts.JOURNAL_PROMPT in rig.model.asked[-1].system_prompt


@pytest.mark.req("S2-74")
def test_summaries_are_not_evicted(tmp_path: Path) -> None:
    rig = FactsRig(tmp_path / "data", max_entries=1)
    tell(rig, 200)

    assert names(rig) == ["L3/final.md"]
    assert len(rig.paths("facts/*.md")) + len(rig.paths("turns/*/*.md")) == 1
