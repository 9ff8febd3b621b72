from __future__ import annotations

from pathlib import Path

import pytest

from actors.kernel import Actor, ActorSystem, ManualClock
from actors.part import SHIPPED_SKILLS
from actors.workspace.skills.lives import FRESH_S, Lives, SkillLives
from domain.workspace.skills.life import SkillLife
from tests.actors.skill_files.test_installed import record
from tests.actors.workspace.skills.hook_rig import HookRig, write_skill


@pytest.fixture
def owner(system: ActorSystem, tmp_path: Path) -> Actor:
    """Some actor that looks."""
    rig = HookRig(system, tmp_path / "nothing")
    system.start()
    rig.begin("before_prompt")
    system.run()
    return rig.actor


def test_skills_that_declare_something_are_known_with_what_is_wrong(tmp_path: Path, owner: Actor) -> None:
    path = write_skill(tmp_path / "tea", "when_to_use: Thirst.", "paths: 7")
    write_skill(tmp_path / "plain")

    lives = SkillLives((), (tmp_path,)).look(owner)

    assert lives == Lives(
        (SkillLife(name="tea", folder=str(path.parent), when_to_use="Thirst."),),
        (f"{path}: paths 7: must be text or a list of texts",),
    )


@pytest.mark.req("X-267")
def test_hooks_of_an_added_skill_that_has_changed_do_not_run(tmp_path: Path, owner: Actor, clock: ManualClock) -> None:
    path = write_skill(tmp_path / "tea", "hooks: {before_prompt: a.sh}")
    (path.parent / "a.sh").touch()
    record(tmp_path, "tea")
    lives = SkillLives((), (tmp_path,))
    assert [life.name for life in lives.look(owner).lives] == ["tea"]

    (path.parent / "a.sh").write_text("echo other")
    clock.advance(FRESH_S)

    assert lives.look(owner).lives == ()


@pytest.mark.parametrize(
    "odd", ["when_to_use: {}", "hooks: {{before_prompt: {}}}", "hooks:\n  ? {}\n  : a.sh", "paths: [{}]"]
)
def test_a_number_that_cannot_be_written_out_is_a_fault_of_its_file(tmp_path: Path, owner: Actor, odd: str) -> None:
    write_skill(tmp_path / "tea", "when_to_use: Thirst.")
    bad = write_skill(tmp_path / "bad", odd.format(f"0x{'f' * 8_000}"))

    found = SkillLives((), (tmp_path,)).look(owner)

    assert [life.name for life in found.lives] == ["tea"]
    (fault,) = found.faults
    assert fault.startswith(f"{bad}: ")
    assert "<a number of some 9,633 digits>" in fault


@pytest.mark.req("X-114")
def test_hooks_of_skills_that_come_with_the_agent_do_not_run_wherever_a_link_leads_from(
    tmp_path: Path, owner: Actor
) -> None:
    hook = "hooks: {before_prompt: x.sh}"
    write_skill(tmp_path / "shipped" / "ours", hook, "when_to_use: Always.")
    write_skill(tmp_path / "shipped" / "hook-only", hook)
    write_skill(tmp_path / "own" / "theirs", hook)
    (tmp_path / "own" / "linked").symlink_to(tmp_path / "shipped" / "hook-only")

    lives = SkillLives((tmp_path / "shipped",), (tmp_path / "own",)).look(owner).lives

    assert [(life.name, life.hooks, life.when_to_use) for life in lives] == [
        ("ours", (), "Always."),
        ("theirs", (("before_prompt", "x.sh"),), ""),
    ]


def test_folders_are_looked_at_every_three_seconds_at_most(tmp_path: Path, owner: Actor, clock: ManualClock) -> None:
    lives = SkillLives((), (tmp_path,))
    assert lives.look(owner) == Lives()
    write_skill(tmp_path / "tea", "when_to_use: Thirst.")

    assert lives.look(owner) == Lives()
    clock.advance(FRESH_S)
    later = lives.look(owner)
    assert [life.name for life in later.lives] == ["tea"]
    clock.advance(FRESH_S)
    assert lives.look(owner) is later  # nothing changed

    (tmp_path / "tea" / "SKILL.md").unlink()
    clock.advance(FRESH_S)
    assert lives.look(owner) == Lives()


def test_a_fault_is_logged_once_while_it_lasts(
    tmp_path: Path, owner: Actor, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    path = write_skill(tmp_path / "tea", "paths: 7")
    lives = SkillLives((), (tmp_path,))
    for _ in range(3):
        lives.look(owner)
        clock.advance(FRESH_S)

    told = [record.getMessage() for record in caplog.records]
    assert told == [f"skill {path}: paths 7: must be text or a list of texts"]
    assert lives.findings() == (f"{path}: paths 7: must be text or a list of texts",)


def test_the_last_end_of_a_hook_is_kept_and_a_fault_logged_when_it_is_new(caplog: pytest.LogCaptureFixture) -> None:
    lives = SkillLives((), ())
    for fault in ("ended with exit code 1", "ended with exit code 1", "took longer than 5 s"):
        lives.note_hook("tea", "before_prompt", fault)
    assert list(lives.hook_faults) == ["skill tea: hook before_prompt: took longer than 5 s"]
    assert len(caplog.records) == 2

    lives.note_hook("tea", "before_prompt", "")
    assert list(lives.hook_faults) == []


def test_skills_that_come_with_the_agent_declare_nothing_wrong() -> None:
    assert SkillLives((SHIPPED_SKILLS,), ()).findings() == ()
