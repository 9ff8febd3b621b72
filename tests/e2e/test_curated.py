"""Memory that is kept by hand, through whole agents: prompts of several windows, slash commands, commands of the model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.curated.part import LAYER
from actors.part import SHIPPED_SKILLS
from lab.loopback_model.server import Answer as LoopbackAnswer
from lab.loopback_model.server import Call, LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.curated import CURATED, AddFact
from messages.discord import ReadersListed
from messages.model import ModelRequest
from tests.actors.memory.readers import readers_of
from tests.e2e.recorded import CHANNEL, PUBLIC, THREAD, Recording
from tests.e2e.stage import CHECKOUT, Stage

SKILL = SHIPPED_SKILLS / "curated-memory" / "scripts" / "curated.py"
HEAD = "\n\n## Persistent memory\n"


def settings(folder: Path, **more: object) -> dict[str, Any]:
    return {"layers.curated": True, "curated.global_folder": str(folder / "memory"), **more}


class TestPrompts:
    """Requests to the model."""

    @pytest.fixture
    def agent(self, tmp_path: Path) -> Iterator[Recording]:
        made = Recording(tmp_path, (LAYER,), **settings(tmp_path))
        made.tell(CURATED, ReadersListed(windows=(readers_of(CHANNEL, PUBLIC), readers_of(THREAD, PUBLIC))))
        yield made
        made.stop()

    def add(self, agent: Recording, text: str) -> None:
        """A command of the channel's has a fact added."""
        request_id: Any = f"add-{text}"
        edge = agent.system.edge("asker")
        agent.tell(
            CURATED,
            AddFact(request_id=request_id, reply_to=edge.address, window=CHANNEL, scope="global", text=text),
        )
        for _ in range(40):
            agent.advance(0.05)

    @pytest.mark.req("S1-01", "S1-30")
    def test_a_correction_in_one_window_is_in_the_next_prompt_of_another(self, agent: Recording) -> None:
        before = agent.say("How do I run the tests?", THREAD)
        self.add(agent, "Tests run with make check, not make test")
        agent.answer(before, "With make test.")
        after = agent.say("And now?", THREAD)
        assert "- Tests run with make check" not in before.system_prompt
        assert "- Tests run with make check, not make test" in after.system_prompt

    @pytest.mark.req("S1-32")
    def test_it_stands_in_the_system_prompt_and_in_no_message_and_no_log(
        self, agent: Recording, tmp_path: Path
    ) -> None:
        self.add(agent, "The database is called Zebra")
        request = agent.say("Hello")
        agent.answer(request, "Hello.")
        agent.advance(1)
        assert "Zebra" in request.system_prompt
        assert not any("Zebra" in message.text for message in request.messages)
        logs = [path.read_text() for path in (tmp_path / "data" / "logs").rglob("*.md")]
        assert logs
        assert not any("Zebra" in text for text in logs)

    @pytest.mark.req("S1-59")
    def test_the_block_is_the_same_in_a_new_window_and_after_a_restart(self, tmp_path: Path) -> None:
        blocks = list[str]()
        for is_first in (True, False):
            life = Recording(tmp_path, (LAYER,), **settings(tmp_path))
            life.message_id += 1_000 * (not is_first)  # a later life's messages are new
            life.tell(CURATED, ReadersListed(windows=(readers_of(CHANNEL, PUBLIC), readers_of(THREAD, PUBLIC))))
            if is_first:
                self.add(life, "The database is called Zebra")
            for _ in range(2):
                request = life.say("Hello")
                life.answer(request, "Hello.")
                life.advance(61)
                life.start_new_window()
                blocks.append(request.system_prompt.partition(HEAD)[2])
            life.stop()
        assert len(set(blocks)) == 1
        assert "- The database is called Zebra" in blocks[-1]

    @pytest.mark.req("S1-24", "S1-31", "X-72")
    def test_the_block_follows_all_else_behind_a_blank_line_and_is_the_same_in_the_next_turn(
        self, agent: Recording, tmp_path: Path
    ) -> None:
        self.add(agent, "One fact")
        first, plain = agent.say("Hello"), self.without_layer(tmp_path / "plain")
        agent.answer(first, "Hello.")
        second = agent.say("Again")
        assert first.system_prompt == second.system_prompt
        before, head, _ = first.system_prompt.partition(HEAD)
        assert head
        assert before.splitlines()[0] == plain.system_prompt.splitlines()[0]
        assert "/curated-memory/SKILL.md" in before

    @pytest.mark.req("S1-25")
    def test_switched_off_in_its_settings_it_leaves_the_prompt_as_it_is_without(self, tmp_path: Path) -> None:
        plain = self.without_layer(tmp_path / "plain")
        silent = Recording(tmp_path / "silent", (LAYER,), **settings(tmp_path, **{"curated.no_memory": True}))
        try:
            request = silent.say("Hello")
        finally:
            silent.stop()
        assert "Persistent memory" not in request.system_prompt
        assert self.without_skill(request.system_prompt) == plain.system_prompt

    def without_layer(self, folder: Path) -> ModelRequest:
        """The first request of an agent that has no such layer."""
        plain = Recording(folder, ())
        try:
            return plain.say("Hello")
        finally:
            plain.stop()

    def without_skill(self, prompt: str) -> str:
        """A prompt without the layer's skill."""
        lines = prompt.split("\n")
        begin = next(number for number, line in enumerate(lines) if "/curated-memory/SKILL.md" in line)
        end = next(number for number in range(begin + 1, len(lines)) if not lines[number].startswith("$ "))
        return "\n".join(lines[:begin] + lines[end + 1 :])


class TestDiscord:
    """Answers to people in Discord."""

    @pytest.fixture
    def stage(self, server: PlaygroundServer, tmp_path: Path) -> Iterator[Stage]:
        made = Stage(server, tmp_path / "data", **settings(tmp_path))
        yield made
        made.stop()

    def answer(self, server: PlaygroundServer, command: str, channel: int = GENERAL_ID, **options: str) -> str:
        message = server.wait_for_answer(server.slash(channel, command, options).id)
        assert message is not None
        return str(message["content"])

    def test_what_private_threads_and_direct_messages_say_is_not_written_where_others_read_it(
        self, server: PlaygroundServer, tmp_path: Path
    ) -> None:
        stage = Stage(server, tmp_path / "data", **settings(tmp_path, **{"discord.dms": True}))
        try:
            thread = server.create_thread(GENERAL_ID, "quiet", private=True)
            for place in (thread, server.open_dm()):
                answer = self.answer(server, "memory remember", place, scope="global", text="a plan")
                assert "denied: this conversation is private" in answer
            assert "Staged" in self.answer(server, "memory remember", scope="global", text="known to all")
        finally:
            stage.stop()

    @pytest.mark.req("S1-48", "S1-52", "S1-53", "X-138")
    def test_a_fact_is_staged_and_flushed_by_slash_commands(
        self, stage: Stage, server: PlaygroundServer, tmp_path: Path
    ) -> None:
        assert "Staged for global memory" in self.answer(server, "memory remember", scope="global", text="Tea at four")
        assert not (tmp_path / "memory" / "MEMORY.md").exists()
        assert len((tmp_path / "memory" / "writeback-journal.jsonl").read_text().splitlines()) == 1
        assert "Committed: 1" in self.answer(server, "memory flush")
        assert (tmp_path / "memory" / "MEMORY.md").read_text() == "## Remembered\n\n- Tea at four\n"
        status = self.answer(server, "memory status")
        assert str(tmp_path / "memory") in status
        assert "Page table: present" in status

    def test_one_help_names_the_commands_of_both_memories_once(self, stage: Stage, server: PlaygroundServer) -> None:
        lines = self.answer(server, "help").splitlines()
        names = [line.partition("`/")[2].partition("`")[0] for line in lines if "`/memory " in line]
        assert len(names) == len(set(names))
        assert {"memory search", "memory why", "memory stats", "memory status", "memory remember"} <= set(names)


class TestModel:
    """Use of the memory by a model, with its one tool, in a server's threads."""

    @pytest.fixture
    def model(self) -> Iterator[LoopbackModel]:
        with LoopbackModel() as made:
            yield made

    @pytest.fixture
    def stage(self, server: PlaygroundServer, model: LoopbackModel, tmp_path: Path) -> Iterator[Stage]:
        more: dict[str, Any] = {"model.name": "openai/loopback", "model.api_base": model.api_base}
        made = Stage(server, tmp_path / "data", {"OPENAI_API_KEY": "no key"}, **settings(tmp_path), **more)
        yield made
        made.stop()

    def bash(self, command: str) -> LoopbackAnswer:
        return LoopbackAnswer(calls=(Call("bash", json.dumps({"command": command})),))

    def system_prompt(self, model: LoopbackModel) -> str:
        """Of the newest request."""
        return str(model.requests()[-1].body["messages"][0]["content"])

    @pytest.mark.req("S1-03", "S1-44", "S1-77")
    def test_a_correction_in_one_thread_is_written_by_the_skill_and_known_in_the_next_turn_of_another(
        self, stage: Stage, server: PlaygroundServer, model: LoopbackModel, tmp_path: Path
    ) -> None:
        here, there = (server.create_thread(GENERAL_ID, name) for name in ("tests", "release"))
        model.script(
            self.bash(f'{SKILL} add global "Tests run with make check" --section Build'), LoopbackAnswer("Noted.")
        )
        stage.ask("No, tests run with make check", here)
        model.script(LoopbackAnswer("With make check."))
        stage.ask("How do I run the tests?", there)
        assert (tmp_path / "memory" / "MEMORY.md").read_text() == "## Build\n\n- Tests run with make check\n"
        assert "### Global MEMORY.md\n## Build\n\n- Tests run with make check" in self.system_prompt(model)
        assert {tool["function"]["name"] for tool in model.requests()[-1].body["tools"]} == {"bash"}

    @pytest.mark.req("S1-45")
    def test_a_file_that_a_command_edits_is_a_persons_edit(
        self, stage: Stage, server: PlaygroundServer, model: LoopbackModel, tmp_path: Path
    ) -> None:
        memory = tmp_path / "memory"
        memory.mkdir()
        (memory / "MEMORY.md").write_text("## Build\n\n- one\n")
        edit = (
            f"echo '- two' >> {memory}/MEMORY.md; echo detail > {memory}/build.md; echo '{{}} ' > {memory}/config.json"
        )
        model.script(self.bash(edit), LoopbackAnswer("Done."))
        stage.ask("Keep this", GENERAL_ID)
        assert (memory / "MEMORY.md").read_text() == "## Build\n\n- one\n- two\n"
        assert (memory / "build.md").read_text() == "detail\n"
        assert (memory / "config.json").read_text() == "{}\n"
        result = str(model.requests()[-1].body["messages"][-1]["content"])
        assert "Read-only file system" in result

    def test_a_private_threads_commands_read_the_folder_and_cannot_write_it(
        self, stage: Stage, server: PlaygroundServer, model: LoopbackModel, tmp_path: Path
    ) -> None:
        memory = tmp_path / "memory"
        memory.mkdir()
        (memory / "MEMORY.md").write_text("- one\n")
        thread = server.create_thread(GENERAL_ID, "quiet", private=True)
        command = f"cat {memory}/MEMORY.md; echo '- two' >> {memory}/MEMORY.md; {SKILL} add global 'a plan'"
        model.script(self.bash(command), LoopbackAnswer("No."))
        stage.ask("Keep this", thread)
        result = str(model.requests()[-1].body["messages"][-1]["content"])
        assert "- one\n" in result
        assert "denied: this conversation is private" in result
        assert (memory / "MEMORY.md").read_text() == "- one\n"


@pytest.mark.req("S1-74", "S1-75")
def test_while_it_is_off_nothing_of_it_is_loaded_but_its_settings(tmp_path: Path) -> None:
    program = (
        "import json, sys; from actors.parts import settings_tables, parts; from actors.settings.load import load;"
        "from actors.bootstrap import agent_plan; from actors.kernel import ActorSystem;"
        "settings = load(environ={}, folder=__import__('pathlib').Path('.'), tables=settings_tables());"
        "parts(agent_plan(settings, {}, ActorSystem(workers=0), None)).specs;"
        "print(json.dumps([name for name in sys.modules if 'curated' in name]))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(CHECKOUT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(json.loads(done.stdout)) == {"actors.curated", "actors.curated.part", "actors.curated.table"}
