"""Row of the layer: parts of each switch, dependencies, and one folder per window."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import pytest

from actors.kernel import Actor, ActorSpec
from actors.parts import parts
from actors.workspace.commands import COMPACT
from actors.workspace.config import WorkspaceConfig
from actors.workspace.row import workspace_config
from messages.base import RequestId, Surface, Window
from messages.workspace import SUBAGENT_KIND, WORKSPACE_KIND, BeginRun, RunSubagent
from tests.actors.objects.plan import plan_of
from tests.actors.workspace.rig import WINDOW, WorkspaceRig

ROOT = Path(__file__).parents[3]
OFF = {"layers.objects": False, "layers.workspace": True}
CHILD = "---\nname: helper\ndescription: Helps.\ncontextMode: contextual\n---\nYou help.\n"


@pytest.mark.req("S4-17", "S4-117", "S4-118", "S4-124", "X-64")
def test_each_switch_brings_its_own_and_no_more(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, on in enumerate([*itertools.product([False, True], repeat=2)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(on=on):
            compacts, has_runs = on
            table = parts(plan_of(folder, **OFF, **{"workspace.compaction": compacts, "workspace.subagents": has_runs}))
            (part,) = (each for each in table if each.spec.kind == WORKSPACE_KIND)
            assert (part.prepares_compaction, part.contributes, part.subscribes) == (compacts, True, True)
            assert {command.name for command in part.commands} == {"session", *(["compact"] if compacts else [])}
            runs = {f"subagent.{verb}" for verb in ("run", "wait", "stop", "list")}
            assert set(part.verbs) == (runs if has_runs else set())
            assert not any(verb.in_lanes for verb in part.verbs.values()), "no sub-agent runs sub-agents"
            assert {path.name for path in part.skills} == ({"subagent"} if has_runs else set())
            assert any(each.spec.kind == SUBAGENT_KIND for each in table) is has_runs


@pytest.mark.req("X-68", "S4-109")
def test_compaction_goes_together_with_objects(tmp_path: Path) -> None:
    both = {"layers.objects": True, "layers.workspace": True}
    for compacts in (False, True):
        table = parts(plan_of(tmp_path, **both, **{"workspace.compaction": compacts}))
        assert {WORKSPACE_KIND, "objects"} <= {each.kind for each in table.specs()}
        assert (table.compactor is not None, table.wording is not None) == (compacts, True)


@pytest.mark.req("S4-118")
def test_without_the_layer_nothing_of_it_is_there(tmp_path: Path) -> None:
    table = parts(plan_of(tmp_path, **{"layers.objects": False}))
    assert {part.spec.kind for part in table}.isdisjoint({WORKSPACE_KIND, SUBAGENT_KIND})


@pytest.mark.req("X-69", "X-61")
def test_its_numbers_are_its_own_and_everything_is_off_by_default(tmp_path: Path) -> None:
    config = workspace_config(plan_of(tmp_path, **OFF))
    assert (config.recall_chars, config.handover_chars) == (2_000, 12_000)
    assert not any((config.recall, config.session, config.compaction, config.subagents, config.llm))


@pytest.mark.req("X-104", "X-105")
def test_a_thread_has_a_folder_of_its_own_and_nothing_of_its_channels(tmp_path: Path) -> None:
    config = WorkspaceConfig(root=tmp_path, lives=True)
    channel, thread = (Window(surface=each, id="7") for each in (Surface.DISCORD_CHANNEL, Surface.DISCORD_THREAD))
    assert config.folder_of(channel) == tmp_path / "channels" / "discord-channel" / "7"
    assert config.folder_of(thread) == tmp_path / "channels" / "discord-thread" / "7"


@pytest.mark.req("S4-07", "S4-13", "S4-14", "S4-123", "S4-124", "X-65")
def test_the_layer_has_no_vectors_no_database_and_opens_no_network() -> None:
    forbidden = (
        "numpy",
        "apsw",
        "sqlite",
        "socket",
        "aiohttp",
        "litellm",
        "google",
        "actors.memory",
        "actors.embedder",
    )
    names = [
        name
        for folder in ("actors/workspace", "domain/workspace")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    ]
    assert len(names) > 100
    assert [name for name in names if name.startswith(forbidden)] == []


class Child(Actor):
    """Keeps what a run is begun with."""

    def __init__(self, begun: list[BeginRun]) -> None:
        super().__init__()
        self._begun = begun

    def handle(self, message: BeginRun) -> None:
        self._begun.append(message)


@pytest.mark.req("S4-05", "S4-11", "S4-42", "S4-69", "S4-106", "S4-110")
def test_a_contextual_run_is_given_the_state_and_what_fits_its_task_within_less_room(tmp_path: Path) -> None:
    folder = tmp_path / "sub-agents"
    folder.mkdir()
    (folder / "helper.md").write_text(CHILD)
    begun: list[BeginRun] = []
    rig = WorkspaceRig(tmp_path, definitions=(folder,), specs=(ActorSpec(SUBAGENT_KIND, lambda _key: Child(begun)),))
    rig.prepare()
    (rig.folder / "SESSION.md").write_text("# Constraints\n- Ask Mona before firing\n")
    facts = "".join(f"- celadon stoneware {number} {'clay ' * 30}\n" for number in range(40))
    (rig.folder / "MEMORY.md").write_text(f"{facts}- Tea in the morning\n")
    request = RunSubagent(
        request_id=RequestId("q"),
        reply_to=rig.asker.address,
        window=WINDOW,
        name="helper",
        task="Which celadon stoneware is there?",
    )
    rig.tell(request)
    rig.settle(1.0)
    (run,) = begun
    context, _, task = run.prompt.partition("\n\nYour task:\n")
    assert task == "Which celadon stoneware is there?"
    assert "Ask Mona before firing" in context
    assert "celadon stoneware" in context
    assert "Tea in the morning" not in context
    assert len(context) < 1_500 + 1_000 + 10


@pytest.mark.req("X-251")
def test_words_about_what_to_keep_are_refused_where_memory_is_off() -> None:
    assert COMPACT.keeps_words
