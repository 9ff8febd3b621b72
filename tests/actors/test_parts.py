"""A memory layer that the tree's tables do not name joins as a row, and leaves no trace where it is switched off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from pydantic import BaseModel, ConfigDict

from actors.bootstrap import agent_plan, discord_connection, turn_plan
from actors.cli.doctor_findings import all_findings
from actors.context.actor import ContextActor
from actors.context.part import context_config
from actors.context.part import row as window_row
from actors.kernel import ActorSpec, ActorSystem
from actors.part import Argument, Command, Finding, Level, Part, Parts, Press, Row, Table, UnusableError, Verb
from actors.part.verb import check_verb
from actors.parts import LAYERS, parts, settings_tables
from actors.settings.load import load
from actors.settings.problem import SettingsError
from actors.settings.schema import Settings
from actors.settings.secret import Secrets
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.base import Address, Message, RequestId, Window
from messages.turn import TurnEnded
from tests.actors.notes.layer import HEAD, INSTRUCTIONS, LAYER, PATH, NotesTable
from tests.actors.notes.messages import NOTES, NoteTaken, TakeNote
from tests.e2e.recorded import Recording
from tests.e2e.stage import Stage
from tests.e2e.test_requests import RECORDED, converse


def command(name: str, description: str = "Does it", arguments: tuple[Argument, ...] = ()) -> Command[NoteTaken]:
    return Command(
        name=name, description=description, arguments=arguments, request=_never, reply=NoteTaken, answer=_never
    )


def word(name: str, description: str = "A word", longest: int = 9) -> Argument:
    return Argument(name=name, description=description, longest=longest)


def press(prefix: str) -> Press[NoteTaken]:
    return Press(prefix=prefix, request=_never, reply=NoteTaken, answer=_never)


def _never(*given: object) -> NoReturn:
    raise AssertionError(given)


def _of_window(window: Window) -> Address:
    return Address("own", window.address.key)


class Perhaps(Message, frozen=True, kw_only=True, gc=False):
    request_id: RequestId
    reply_to: Address
    window: Window | None = None


class Surely(Message, frozen=True, kw_only=True, gc=False):
    request_id: RequestId
    reply_to: Address
    window: Window


TABLES = {LAYER.name: LAYER.table}
ON: dict[str, Any] = {"layers.notes": True}


def settings_of(folder: Path, **given: object) -> Settings:
    usual = {"data_root": str(folder / "data"), "skills.folders": []}
    return load(environ={}, folder=folder, overrides=usual | given, tables=TABLES)


def table_of(folder: Path, **given: object) -> Parts:
    settings = settings_of(folder, **given)
    plan = agent_plan(settings, {}, ActorSystem(workers=0), discord_connection(settings, "token"))
    return parts(plan, (LAYER,))


class TestOff:
    """A layer that is known but not switched on changes nothing."""

    def test_every_request_is_byte_for_byte_what_it_is_without_the_layer(self, tmp_path: Path) -> None:
        agent = Recording(tmp_path, (LAYER,))
        try:
            converse(agent)
        finally:
            agent.stop()
        assert agent.lines() == RECORDED.read_text().splitlines()

    def test_no_actor_verb_command_check_or_skill_of_it_is_there(self, tmp_path: Path) -> None:
        table = table_of(tmp_path)
        assert NOTES not in {part.address for part in table}
        assert "notes.take" not in table.verbs
        assert "note" not in {command.name for command in table.commands}
        assert not [folder for folder in table.skills if "notes" in folder.parts]


class TestOn:
    """A turn with the layer, from the block to the expansion."""

    @pytest.fixture
    def agent(self, tmp_path: Path) -> Iterator[Recording]:
        made = Recording(tmp_path, (LAYER,), **ON)
        yield made
        made.stop()

    def note(self, agent: Recording, line: str) -> None:
        edge = agent.system.edge("asker")
        request_id: Any = "note"
        agent.tell(NOTES, TakeNote(request_id=request_id, reply_to=edge.address, line=line))

    def test_it_takes_part_in_a_turn_and_lists_its_skill(self, agent: Recording) -> None:
        self.note(agent, "tea at four")
        request = agent.say("What now?")
        assert f'\n\n{HEAD}\n{{"notes": ["tea at four"]}}\n\n' in request.messages[-1].text
        assert "/note-taking/SKILL.md" in request.system_prompt
        assert INSTRUCTIONS in request.system_prompt

    def test_the_model_may_ask_it_for_more_of_a_place_that_its_block_names(self, agent: Recording) -> None:
        self.note(agent, "tea at four")
        agent.answer(agent.say("What now?"), f"EXPAND path={PATH} line=1")
        assert '"text":"noted: tea at four"' in agent.take_request().messages[-1].text

    def test_places_that_nobody_named_are_asked_of_nobody(self, agent: Recording) -> None:
        agent.answer(agent.say("What now?"), f"EXPAND path={PATH} line=1")
        assert "only places that this turn's block names" in agent.take_request().messages[-1].text

    def test_references_are_expanded_without_the_memory_too(self, tmp_path: Path) -> None:
        agent = Recording(tmp_path / "alone", (LAYER,), **ON, **{"memory.enabled": False})
        try:
            self.note(agent, "tea at four")
            agent.answer(agent.say("What now?"), f"EXPAND path={PATH} line=1")
            assert "noted: tea at four" in agent.take_request().messages[-1].text
        finally:
            agent.stop()


class TestWhole:
    """The layer as people and the operator meet it, in a whole agent."""

    def test_it_shows_up_in_help_status_commands_and_turns(self, server: PlaygroundServer, tmp_path: Path) -> None:
        stage = Stage(server, tmp_path / "data", layers=(LAYER,), **ON)
        try:
            assert "`/note`: Keep one line in mind" in self.answer(server, "help")
            assert self.answer(server, "note", line="tea at four") == "Noted, 1 in all."
            stage.ask("hello")
            assert "**notes**: notes 1, turns 1" in self.answer(server, "status")
        finally:
            stage.stop()

    def test_doctor_asks_its_check(self, tmp_path: Path) -> None:
        findings = self.findings(settings_of(tmp_path, **ON, **{"notes.most": 5}))
        assert findings["notes"].detail == "at most 5 are kept"
        assert findings["skills"].level is Level.OK, "its skill keeps the rules of skills"
        assert "notes" not in self.findings(settings_of(tmp_path))

    def test_a_check_that_fails_itself_is_a_finding_and_hides_no_other(self, tmp_path: Path) -> None:
        def row(_plan: object, _parts: object) -> Part:
            spec = ActorSpec("notes", lambda _key: pytest.fail("never made"))
            return Part(spec=spec, checks=(lambda: [][0],))

        settings, layer = settings_of(tmp_path, **ON), replace(LAYER, rows=(row,))
        findings = {each.name: each for each in all_findings(settings, Secrets.take({}), (layer,))}
        assert findings["notes"].level is Level.FAIL
        assert "IndexError" in findings["notes"].detail
        assert "data root" in findings

    def answer(self, server: PlaygroundServer, command: str, **options: str) -> str:
        outcome = server.slash(GENERAL_ID, command, options)
        message = server.wait_for_answer(outcome.id)
        assert message is not None
        return str(message["content"])

    def findings(self, settings: Settings) -> dict[str, Finding]:
        return {each.name: each for each in all_findings(settings, Secrets.take({}), (LAYER,))}


class TestSettings:
    """Its table is checked as every other is."""

    def test_its_table_has_its_defaults(self, tmp_path: Path) -> None:
        settings = settings_of(tmp_path)
        assert not settings.has_layer("notes")
        assert settings.table(NotesTable) == NotesTable(most=3)

    def test_settings_that_are_alike_are_equal(self, tmp_path: Path) -> None:
        assert settings_of(tmp_path, **ON) == settings_of(tmp_path, **ON)
        assert settings_of(tmp_path, **ON) != settings_of(tmp_path)

    @pytest.mark.parametrize(
        ("lines", "complaint"),
        [
            ("[notes]\nenabled = true", "agent.toml:2: notes.enabled: unknown key; a layer is switched on by [layers]"),
            ("[notes]\nnotes = true", "agent.toml:2: notes.notes: unknown key; a layer is switched on by [layers]"),
            ('[layers]\nnotes = "yes"', 'agent.toml:2: layers.notes = "yes": must be true or false'),
            ('[notes]\nmost = "3"', 'agent.toml:2: notes.most = "3": must be a whole number >= 1 and <= 9'),
            ("[notes]\nmost = true", "agent.toml:2: notes.most = true: must be a whole number >= 1 and <= 9"),
        ],
    )
    def test_slips_are_answered_with_what_to_write(self, tmp_path: Path, lines: str, complaint: str) -> None:
        (tmp_path / "agent.toml").write_text(lines)
        with pytest.raises(SettingsError, match=re.escape(complaint)):
            load(Path("agent.toml"), environ={}, folder=tmp_path, tables=TABLES)

    def test_what_is_wrong_is_refused_with_line_key_and_rule(self, tmp_path: Path) -> None:
        (tmp_path / "agent.toml").write_text("[layers]\nnotes = true\nnoots = true\n\n[notes]\nmost = 10\nmoost = 1\n")
        with pytest.raises(SettingsError) as refused:
            load(Path("agent.toml"), environ={}, folder=tmp_path, tables=TABLES)
        text = str(refused.value)
        assert "agent.toml:3: layers.noots: unknown key; did you mean notes?" in text
        assert "agent.toml:6: notes.most = 10: must be >= 1 and <= 9" in text
        assert "agent.toml:7: notes.moost: unknown key; did you mean most?" in text

    def test_a_layer_that_the_program_does_not_know_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "agent.toml").write_text("[layers]\nnotes = true\n")
        with pytest.raises(SettingsError, match=r"agent\.toml:2: layers\.notes: unknown key"):
            load(Path("agent.toml"), environ={}, folder=tmp_path)

    def test_a_layer_cannot_take_the_name_of_a_setting(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="layer 'memory': a setting has that name"):
            load(environ={}, folder=tmp_path, tables={"memory": NotesTable})

    @pytest.mark.parametrize("name", ["with_root", "copy", "model_fields", "a-b", "Notes", ""])
    def test_a_layers_name_means_nothing_to_the_settings(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(ValueError, match="must be a lower-case word that means nothing"):
            load(environ={}, folder=tmp_path, tables={name: NotesTable})

    def test_a_layers_table_keeps_the_rules_of_all_tables(self, tmp_path: Path) -> None:
        class Loose(BaseModel):
            most: int = 1

        class Lax(Table):
            most: int = 1

        class Needy(BaseModel):
            model_config = ConfigDict(frozen=True, extra="forbid")
            most: int

        class Deep(BaseModel):
            model_config = ConfigDict(frozen=True, extra="forbid")
            inner: NotesTable = NotesTable()

        for table, rule in (
            (Loose, "must be frozen"),
            (Lax, "most: must be a Whole"),
            (Needy, "must have a default"),
            (Deep, "be no table itself"),
        ):
            with pytest.raises(ValueError, match=rule):
                load(environ={}, folder=tmp_path, tables={"notes": table})
        with pytest.raises(ValueError, match="two layers have it"):
            load(environ={}, folder=tmp_path, tables={"notes": NotesTable, "others": NotesTable})
        with pytest.raises(ValueError, match="layer 'notes': two layers have that name"):
            settings_tables((LAYER, LAYER))

    def test_a_table_that_no_layer_brought_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="NotesTable: no layer brought it"):
            load(environ={}, folder=tmp_path).table(NotesTable)


class TestTable:
    """The table itself."""

    def test_the_agent_comes_with_no_layer_that_is_not_asked_for(self, tmp_path: Path) -> None:
        assert not [layer for layer in LAYERS if settings_of(tmp_path).has_layer(layer.name)]

    @pytest.mark.req("C-26")
    def test_two_parts_cannot_claim_one_actor(self, tmp_path: Path) -> None:
        settings = settings_of(tmp_path)
        plan = agent_plan(settings, {}, ActorSystem(workers=0), None)

        def row(_plan: object, _parts: object) -> Part:
            return Part(spec=ActorSpec("twin", lambda _key: pytest.fail("never made"), core=True))

        with pytest.raises(ValueError, match="actor 'twin': two parts claim it"):
            Parts(plan, (row, row))

    @pytest.mark.req("S3-05")
    def test_what_words_results_is_at_most_one_and_every_window_is_told_of_it(self, tmp_path: Path) -> None:
        plan = agent_plan(settings_of(tmp_path), {}, ActorSystem(workers=0), None)

        def row(kind: str, **brings: Any) -> Row:
            return lambda _plan, _parts: Part(spec=ActorSpec(kind, lambda _key: pytest.fail("never made")), **brings)

        wordless = row("plain", words_tokens=9)
        off, on = Parts(plan, (wordless,)), Parts(plan, (wordless, row("one", words=_of_window, words_tokens=700)))
        assert (off.wording, off.wording_tokens) == (None, 0)
        assert (on.wording, on.wording_tokens) == (_of_window, 700)
        config = context_config(plan, on)
        assert (config.wording, config.wording_tokens, config.counted_result_chars) == (_of_window, 700, 200)
        assert config.history_tokens == plan.settings.model.max_history_tokens - 700
        config = context_config(plan, off)
        assert (config.wording, config.wording_tokens, config.counted_result_chars) == (None, 0, None)
        two = (row("one", words=_of_window), row("other", words=_of_window))
        rule = "wording of results 'results': two parts claim it, actors 'one' and 'other'"
        with pytest.raises(ValueError, match=rule):
            Parts(plan, two)

    @pytest.mark.parametrize(("words", "limits"), [(None, (99_000, None)), (_of_window, (98_300, 200))])
    def test_a_windows_history_is_bounded_by_what_its_results_will_be(
        self, tmp_path: Path, words: Callable[[Window], Address] | None, limits: tuple[int, int | None]
    ) -> None:
        settings = settings_of(tmp_path, **{"model.max_history_tokens": 99_000})
        plan = agent_plan(settings, {}, ActorSystem(workers=0), None)
        worder = Part(spec=ActorSpec("one", lambda _key: pytest.fail("never made")), words=words, words_tokens=700)
        (windows, _) = Parts(plan, (window_row, lambda _plan, _parts: worder))
        actor = windows.spec.build("discord-channel/1")
        assert isinstance(actor, ContextActor)
        assert actor.conversation.make_empty.args == limits
        assert actor.conversation.limit_chars == 4 * limits[0]

    def test_a_windows_own_actor_may_be_asked_where_the_message_names_its_window(self) -> None:
        check_verb("a.b", Verb(_of_window, Surely))

    @pytest.mark.parametrize(
        ("brings", "rule"),
        [
            ({"verbs": {"memory.search": Verb(NOTES, TakeNote)}}, "verb 'memory.search': two parts claim it"),
            ({"operator_verbs": {"status": Verb(NOTES, TakeNote)}}, "verb 'status': two parts claim it"),
            ({"commands": (command("new"),)}, "command 'new': two parts claim it"),
            ({"commands": (command("help"),)}, "command 'help': two parts claim it"),
            ({"commands": (command("memory"),)}, "command 'memory': a group of commands has that name"),
            (
                {"commands": (command("zoo go"),)},
                "command 'zoo go': the first command of a group must describe the group",
            ),
            ({"commands": (command("Bad Name!"),)}, "command 'Bad Name!': must be one or two words"),
            ({"commands": (command("a b c"),)}, "command 'a b c': must be one or two words"),
            ({"commands": (command("x", description=""),)}, "command 'x': its description must have 1 to 100"),
            ({"commands": (command("x", arguments=(word("Bad"),)),)}, "argument 'Bad': must be a word of a-z"),
            ({"commands": (command("x", arguments=(word("from"),)),)}, "argument 'from': must be a word of a-z"),
            ({"commands": (command("x", arguments=(word("interaction"),)),)}, "argument 'interaction': must be a word"),
            ({"commands": (command("x", arguments=(word("a"), word("a"))),)}, "each of another name"),
            ({"commands": (command("x", arguments=tuple(word(f"a{n}") for n in range(26))),)}, "at most 25 arguments"),
            ({"commands": (command("x", arguments=(word("a", longest=0),)),)}, "longest must be 1 to 6000"),
            ({"commands": (command("x", arguments=(word("a", description=""),)),)}, "must have 1 to 100 characters"),
            ({"verbs": {"Bad Name!\n": Verb(NOTES, TakeNote)}}, "must be two words of a-z"),
            ({"verbs": {"a.b": Verb(NOTES, TurnEnded)}}, "TurnEnded must have request_id and reply_to"),
            (
                {"verbs": {"a.b": Verb(_of_window, TakeNote)}},
                "verb 'a.b': TakeNote must have window, without a default",
            ),
            ({"verbs": {"a.b": Verb(_of_window, Perhaps)}}, "verb 'a.b': Perhaps must have window, without a default"),
            ({"presses": (press("stop:"),)}, "button 'stop:': two parts claim it"),
            ({"presses": (press("s"),)}, "button 's': its prefix must be a word"),
            ({"presses": (press(""),)}, "button '': its prefix must be a word"),
        ],
    )
    def test_what_a_layer_cannot_bring_is_refused_with_its_name(
        self, tmp_path: Path, brings: dict[str, Any], rule: str
    ) -> None:
        part = Part(spec=ActorSpec("stranger", lambda _key: pytest.fail("never made")), **brings)
        settings = settings_of(tmp_path, **ON)
        plan = agent_plan(settings, {}, ActorSystem(workers=0), discord_connection(settings, "token"))
        with pytest.raises(ValueError, match=re.escape(rule)):
            parts(plan, (replace(LAYER, rows=(lambda _plan, _parts: part,)),))

    def test_a_layers_actor_is_not_core(self, tmp_path: Path) -> None:
        part = Part(spec=ActorSpec("stranger", lambda _key: pytest.fail("never made"), core=True))
        plan = agent_plan(settings_of(tmp_path, **ON), {}, ActorSystem(workers=0), None)
        with pytest.raises(ValueError, match="actor 'stranger' of layer 'notes': must not be core"):
            parts(plan, (replace(LAYER, rows=(lambda _plan, _parts: part,)),))

    def test_the_embedder_is_there_for_whoever_asks_it(self, tmp_path: Path) -> None:
        settings = settings_of(tmp_path, **ON, **{"memory.enabled": False})
        plan = agent_plan(settings, {}, ActorSystem(workers=0), None)
        assert "embedder" not in {part.spec.kind for part in parts(plan, (LAYER,))}
        assert "embedder" in {part.spec.kind for part in parts(plan, (replace(LAYER, embeds=True),))}

    def test_only_those_that_refer_are_asked_for_more(self, tmp_path: Path) -> None:
        table = table_of(tmp_path, **ON)
        assert [str(address) for address in table.referrers] == ["memory", "notes"]
        assert [str(address) for address in table.contributors] == ["memory", "skills", "notes"]

    def test_skills_that_come_with_the_agent_win_over_a_layers(self, tmp_path: Path) -> None:
        *shipped, last = table_of(tmp_path, **ON).skills
        assert [folder.name for folder in shipped] == ["brave-search", "memory-search", "reminders", "send-file"]
        assert last.name == "note-taking"

    def test_an_actor_that_cannot_be_made_ends_the_start_with_what_to_do(self, tmp_path: Path) -> None:
        table = table_of(tmp_path, **{"embedder.provider": "litellm"})
        with pytest.raises(UnusableError, match=r"embedder\.model is empty") as refused:
            table.specs()
        assert "discord.channels is empty" in str(refused.value)

    @pytest.mark.req("X-128")
    def test_a_command_lines_turn_has_no_discord_and_keeps_nothing(self, tmp_path: Path) -> None:
        settings, edge = settings_of(tmp_path, **ON), Address("edge", "cli")
        table = parts(turn_plan(settings, {}, ActorSystem(workers=0), edge, tmp_path), (LAYER,))
        kinds = [part.spec.kind for part in table]
        before, layers = ["ledger", "local-model", "model", "web", "skills"], ["notes"]
        assert kinds == [*before, *layers, "scheduler", "socket", "shell", "context"]
        assert table.subscribers == ()
        assert "discord.attach" not in table.verbs
