"""One system prompt for every set of layers, rights and surfaces: it says no two things of one matter."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

import pytest

from domain.curated.block import ScopeBlock, block, store
from domain.curated.page import Scope
from domain.turn.prompt import FILES_BLOCK, HANDOVER_PREFIX, MEMORY_PREFIX, OBJECTS_PREFIX, system_prompt
from domain.turn.skill import FILE_NAME, Skill, list_skills, read_front_matter, split_front_matter
from domain.workspace.identity import Places, identity, stores
from lab.bench.prompts.run import MOST_TOKENS, prompt_of, tokens_of
from lab.bench.prompts.run import combinations as of_whole_agents
from messages.base import Surface, Window
from messages.turn import Store
from tests.domain.turn.test_skill import SHIPPED

FILES = Places("/opt/agent/data/workspace", "/opt/agent/data/workspace/channels/discord-thread/910000000000000099")
ALWAYS = ("brave-search", "reminders", "send-file")
SKILLS = {"memory": "memory-search", "workspace": "subagent", "curated": "curated-memory", "objects": "context-objects"}
BLOCKS = {
    "memory": (MEMORY_PREFIX,),
    "workspace": (FILES_BLOCK, HANDOVER_PREFIX),
    "objects": (OBJECTS_PREFIX,),
    "curated": (),
}
SAVES = ("you save with bash", "save it at once", "Yours.")
SAVES_NOTHING = ("cannot, save anything", "Nothing can be saved from")
NEEDS_COMMANDS = ("bash", "$HOME", ".py", "SKILL.md", "Skills", "cat ", "with the skill", *SAVES)
OPPOSITES = (
    (SAVES, SAVES_NOTHING),
    (("You have exactly one tool",), ("have no tool", "cannot be run here")),
    (("kept word for word in the logs",), ("Nothing said here is kept",)),
    (("nobody else writes it",), ("SESSION.md: what is being worked on here. The runtime's.",)),
)
"""Sentences of which only those on one side may stand in a prompt."""


@dataclass(frozen=True)
class Set:
    """One set of layers, rights and surface."""

    layers: frozenset[str]
    llm: bool
    may_write: bool
    rights: str
    surface: Surface

    @property
    def can_run(self) -> bool:
        return self.rights == "commands"

    def stores(self) -> list[Store]:
        places = FILES if self.surface is not Surface.CLI else Places(FILES.root, "")
        kept_stores = (
            [*stores(places, keeps_session=self.llm, keeps_history=self.llm)] if "workspace" in self.layers else []
        )
        return [*kept_stores, *([store(self.scopes())] if "curated" in self.layers else [])]

    def scopes(self) -> list[ScopeBlock]:
        folders = {Scope.GLOBAL: "/opt/agent/memory", Scope.PROJECT: "/srv/shop/.pi/memory"}
        return [ScopeBlock(scope, folder, self.may_write, "") for scope, folder in folders.items()]

    def prompt(self) -> str:
        names = (*ALWAYS, *(SKILLS[layer] for layer in sorted(self.layers)))
        added = [list_skills(map(skill, names)).text] if self.can_run else []
        if "workspace" in self.layers:
            added.append(identity("", "", FILES))
        if "curated" in self.layers:
            added.append(block(self.scopes(), may_run=self.can_run))
        return system_prompt(
            Window(surface=self.surface, id="910000000000000099"),
            "/opt/agent/data/work/discord-thread/910000000000000099" if self.rights != "no shell" else None,
            *added,
            may_run=self.rights != "viewer",
            stores=self.stores(),
            blocks=[name for layer in self.layers for name in BLOCKS[layer]],
        )


def skill(name: str) -> Skill:
    """A shipped skill, with its file below the agent's folder."""
    matter, body = split_front_matter((SHIPPED / name / FILE_NAME).read_text()) or ("", "")
    description = next(line.partition(": ")[2] for line in matter.splitlines() if line.startswith("description"))
    path = PurePosixPath("/opt/agent/skills", name, FILE_NAME)
    kept_stores = read_front_matter({"name": name, "description": description}, path, body).skill
    assert kept_stores is not None
    return kept_stores


def sets() -> Iterator[Set]:
    """All of them."""
    layers = [frozenset(itertools.compress(SKILLS, on)) for on in itertools.product((True, False), repeat=len(SKILLS))]
    switches = ((True, False), (True, False), ("commands", "viewer", "no shell"), Surface)
    for each, llm, may_write, rights, surface in itertools.product(layers, *switches):
        yield Set(each, llm, may_write, rights, surface)


def faults_of(one_set: Set) -> Iterator[str]:
    """Everything that is wrong with a prompt."""
    text = " ".join(one_set.prompt().split())
    for one, other in OPPOSITES:
        if any(words in text for words in one) and any(words in text for words in other):
            yield f"both {one} and {other}"
    if not one_set.can_run:
        yield from (f"explains {words!r} without commands" for words in NEEDS_COMMANDS if words in text)
    for layer, names in BLOCKS.items():
        yield from (f"{name} of {layer}" for name in names if (name in text) is not (layer in one_set.layers))
    places = one_set.stores() if one_set.can_run else []
    called = [f"{each.path.rpartition('/')[2]} {each.name}" for each in places]
    if len(called) != len(set(called)):
        yield f"two places have one name: {called}"
    for each in places:
        if text.count(f": {each.holds}. ") != 1:
            yield f"{each.name or each.path}: what belongs there is not said once"
        if each.path and text.count(f"In {each.path.rpartition('/')[0]}:") != 1:
            yield f"{each.path}: its folder is not named once"
    if any(each.keeper == "agent" for each in places) is not any(words in text for words in SAVES):
        yield "a place to save into and the sentence on it do not go together"
    sentences = re.split(r"(?<=[.:]) ", text)
    long = [each for each in sentences if len(each) > 60 and sentences.count(each) > 1]
    if long:
        yield f"said twice: {long[0]}"


@pytest.mark.req("X-227")
def test_no_set_of_layers_rights_and_surface_is_told_two_things_of_one_matter_or_what_cannot_come() -> None:
    faults = [f"{each}: {fault}" for each in sets() for fault in faults_of(each)]

    assert not faults, (len(faults), faults[:5])


@pytest.mark.req("X-227")
def test_with_everything_on_the_prompt_has_at_most_1500_tokens() -> None:
    sizes = {tokens_of(each.prompt()): each for each in sets() if len(each.layers) == len(SKILLS)}

    assert max(sizes) <= MOST_TOKENS, sizes[max(sizes)]


@pytest.mark.req("X-227")
def test_whole_agents_send_what_the_sets_say() -> None:
    chosen = [each for each in of_whole_agents() if len(each.layers) in (0, 4)]
    failures = []
    for each in chosen:
        text = " ".join(prompt_of(each).split())
        blocks = {name for names in BLOCKS.values() for name in names if name in text}
        expected = {name for layer in each.layers for name in BLOCKS[layer]}
        if blocks != expected:
            failures.append(f"{each.name}: {blocks}")
        if each.rights != "commands" and (matches := [words for words in NEEDS_COMMANDS if words in text]):
            failures.append(f"{each.name}: {matches}")
        failures += [
            f"{each.name}: {one}"
            for one, other in OPPOSITES
            if any(w in text for w in one) and any(w in text for w in other)
        ]
    assert not failures
    assert len(chosen) == 6
