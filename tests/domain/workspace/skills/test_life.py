from __future__ import annotations

from typing import Any

import pytest

from domain.turn.skill import Skill
from domain.workspace.skills.life import (
    MOST_PATTERNS,
    TEXT_CHARS,
    SkillLife,
    named_for,
    read_life,
    scopes_of,
    when_to_use_text,
)

SKILL = Skill(name="tea", description="Makes tea.", path="/skills/tea/SKILL.md")


def life(name: str = "tea", **fields: Any) -> SkillLife:
    return SkillLife(name=name, folder=f"/skills/{name}", **fields)


@pytest.mark.req("S4-111", "S4-112", "S4-113", "S4-114", "X-112")
def test_front_matter_declares_a_skills_life() -> None:
    fields: dict[object, object] = {
        "name": "tea",
        "when_to_use": "When somebody\n is thirsty.",
        "paths": ["kitchen/**", "*.tea"],
        "memory_scope": "Constraints",
        "hooks": {"before_prompt": "hooks/steep.sh", "before_compact": "pour.sh"},
        "colour": "green",
    }

    declared, faults = read_life(SKILL, fields)

    assert faults == ()
    assert declared == SkillLife(
        name="tea",
        folder="/skills/tea",
        when_to_use="When somebody is thirsty.",
        paths=("kitchen/**", "*.tea"),
        memory_scope=("Constraints",),
        hooks=(("before_prompt", "hooks/steep.sh"), ("before_compact", "pour.sh")),
    )
    assert declared.says_something
    assert declared.script_at("before_compact") == "pour.sh"
    assert declared.script_at("after_response") == ""


def test_a_skill_that_declares_nothing_is_as_ever() -> None:
    declared, faults = read_life(SKILL, {"name": "tea", "description": "Makes tea.", "hooks": None})

    assert (declared, faults) == (life(), ())
    assert not declared.says_something


def test_a_wrong_value_is_a_fault_that_names_it_and_the_rule_and_the_rest_counts(subtests: pytest.Subtests) -> None:
    for key, value, fault in [
        ("when_to_use", 7, "when_to_use 7: must be text of 1 to 500 characters"),
        ("when_to_use", " ", "when_to_use ' ': must be text of 1 to 500 characters"),
        ("when_to_use", "x" * 501, f"when_to_use '{'x' * 58}…: must be text of 1 to 500 characters"),
        ("paths", {"a": 1}, "paths {'a': 1}: must be text or a list of texts"),
        ("paths", ["**"], "paths '**': must not fit every file"),
        ("paths", [3], "paths 3: must be text"),
        ("memory_scope", [""], "memory_scope '': must be the name of a file or section, of 1 to 80 characters"),
        ("hooks", ["x.sh"], "hooks ['x.sh']: must be `event: script` lines"),
        (
            "hooks",
            {"on_start": "x.sh"},
            "hooks 'on_start': must be one of before_prompt, after_response, before_compact, after_subagent",
        ),
        ("hooks", {"before_prompt": "a/../../x.sh"}, "hooks.before_prompt 'a/../../x.sh': must not hold `..`"),
    ]:
        with subtests.test(key=key, value=value):
            fields: dict[object, object] = {
                "when_to_use": "Thirst.",
                "paths": ["a/b"],
                "memory_scope": ["MEMORY"],
                "hooks": {"after_response": "wash.sh"},
            }

            declared, faults = read_life(SKILL, {**fields, key: value})

            assert faults == (fault,)
            sound, _ = read_life(SKILL, {name: kept_value for name, kept_value in fields.items() if name != key})
            assert declared == sound


def test_a_hook_is_a_plain_path_below_the_skills_folder(subtests: pytest.Subtests) -> None:
    for script in ["/bin/sh", "", "a b.sh", "x.sh; rm", "$HOME/x", "~/x.sh", "a//b", 5, None, "x" * 201]:
        with subtests.test(script=script):
            declared, (fault,) = read_life(SKILL, {"hooks": {"before_prompt": script}})

            assert declared.hooks == ()
            assert "must be the path of a script below the skill's folder" in fault


def test_of_too_many_paths_the_first_count() -> None:
    declared, faults = read_life(SKILL, {"paths": [f"a/{number}" for number in range(MOST_PATTERNS + 1)]})

    assert len(declared.paths) == MOST_PATTERNS
    assert faults == ("paths with 33 entries: at most 32 count",)


def test_a_hidden_skill_is_not_told_of_but_its_hooks_run() -> None:
    hidden = Skill(name="tea", description="Makes tea.", path="/skills/tea/SKILL.md", hidden=True)
    fields: dict[object, object] = {"when_to_use": "Thirst.", "paths": "a/b", "hooks": {"after_response": "wash.sh"}}

    declared, _ = read_life(hidden, fields)

    assert declared == life(hooks=(("after_response", "wash.sh"),))


@pytest.mark.req("S4-111")
def test_the_prompt_says_when_skills_are_wanted() -> None:
    text = when_to_use_text([life(when_to_use="Thirst & <b>."), life("coffee"), life("milk", when_to_use="Hunger.")])

    heading, _, *lines = text.splitlines()
    assert heading == "When a skill is wanted"
    assert lines == ["- tea: Thirst &amp; &lt;b&gt;.", "- milk: Hunger."]
    assert when_to_use_text([life("coffee")]) == ""


def test_a_long_list_is_cut_at_a_line_and_what_is_missing_is_counted() -> None:
    text = when_to_use_text([life(f"skill-{number}", when_to_use="w" * 480) for number in range(20)])

    assert len(text) <= TEXT_CHARS
    listed_count = text.count("\n- skill-")
    assert text.endswith(f"\n- … and {20 - listed_count} more")
    assert listed_count == 7


@pytest.mark.req("S4-06", "S4-115")
def test_a_skill_is_named_whose_path_is_mentioned_or_active() -> None:
    lives = (life(paths=("kitchen/**",)), life("coffee", paths=("*.bean",)), life("milk"))

    assert named_for("What of kitchen/kettle.txt?", (), lives) == ("tea",)
    assert named_for("And now?", ("- `store/dark.bean`: to be ground",), lives) == ("coffee",)
    assert named_for("kitchen/x and y.bean", (), lives) == ("tea", "coffee")
    assert named_for("What of the kitchen?", (), lives) == ()
    assert named_for("", (), ()) == ()


@pytest.mark.req("S4-113")
def test_scopes_of_skills_are_those_of_the_named_ones() -> None:
    lives = (
        life(memory_scope=("MEMORY", "Decisions")),
        life("coffee", memory_scope=("MEMORY", "HISTORY")),
        life("milk"),
    )

    assert scopes_of(("tea", "coffee"), lives) == ("MEMORY", "Decisions", "HISTORY")
    assert scopes_of(("coffee", "gone"), lives) == ("MEMORY", "HISTORY")
