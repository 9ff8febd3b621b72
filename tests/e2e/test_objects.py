"""Objects through whole agents: what a model is sent of files and outputs, in threads of a server, by bash alone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.objects.store.audit import audit
from actors.part import SHIPPED_SKILLS
from lab.loopback_model.server import Answer as LoopbackAnswer
from lab.loopback_model.server import Call, LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import CHECKOUT, Stage

SKILL = SHIPPED_SKILLS / "context-objects" / "scripts" / "objects.py"
STORE = Path("objects", "objects.sqlite")


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel() as made:
        yield made


@pytest.fixture
def stage(server: PlaygroundServer, model: LoopbackModel, tmp_path: Path) -> Iterator[Stage]:
    made = started(server, model, tmp_path)
    yield made
    made.stop()
    assert audit(tmp_path / "data" / STORE) == []


def started(server: PlaygroundServer, model: LoopbackModel, folder: Path, **more: Any) -> Stage:
    """An agent with the layer."""
    given: dict[str, Any] = {
        "layers.objects": True,
        "model.name": "openai/loopback",
        "model.api_base": model.api_base,
        **more,
    }
    return Stage(server, folder / "data", {"OPENAI_API_KEY": "no key"}, **given)


def bash(*commands: str) -> LoopbackAnswer:
    """The model wants commands run."""
    return LoopbackAnswer(calls=tuple(Call("bash", json.dumps({"command": command})) for command in commands))


def turn(stage: Stage, model: LoopbackModel, *rounds: str, said: str = "Go on", channel: int = GENERAL_ID) -> list[str]:
    """A turn in which the model runs one command after the other; what its last request says of results, in order."""
    model.script(*(bash(command) for command in rounds), LoopbackAnswer("Done."))
    stage.ask(said, channel)
    return results(model)


def results(model: LoopbackModel) -> list[str]:
    """Texts of the results in the newest request."""
    messages = model.requests()[-1].body["messages"]
    return [str(message["content"]) for message in messages if message["role"] == "tool"]


def prompts(model: LoopbackModel) -> list[str]:
    """What people said, as the newest request has it."""
    messages = model.requests()[-1].body["messages"]
    return [str(message["content"]) for message in messages if message["role"] == "user"]


def folder_of(stage: Stage) -> Path:
    """The channel's folder."""
    (folder,) = (path for path in (stage.data / "work").rglob(str(GENERAL_ID)) if path.is_dir())
    return folder


@pytest.mark.req("S3-01", "S3-02", "S3-10", "S3-50")
def test_a_file_is_shown_once_however_often_it_is_printed_and_requests_go_on_from_one_another(
    stage: Stage, model: LoopbackModel
) -> None:
    turn(stage, model, "printf '<a>\\n' > a.txt", "cat a.txt")
    before = [json.dumps(message) for message in model.requests()[-1].body["messages"]]
    words = turn(stage, model, "cat a.txt")
    after = [json.dumps(message) for message in model.requests()[-1].body["messages"]]
    assert words[1] == "[output t2 is file f1: a.txt, version 1, 3 characters]\n<a>"
    assert words[2] == "[output t3 is file f1: a.txt, version 1, 3 characters, unchanged, its text stands above]"
    assert after[: len(before)] == before


@pytest.mark.req("S3-48")
def test_the_layer_words_every_request_from_the_commands_before_it(stage: Stage, model: LoopbackModel) -> None:
    turn(stage, model, "seq 2; exit 3", "cat missing")
    asked = [
        [str(message["content"]) for message in call.body["messages"] if message["role"] == "tool"]
        for call in model.requests()
    ]
    heads = [[text.partition("\n")[0] for text in texts] for texts in asked]
    assert [len(each) for each in heads] == [0, 1, 2], "one request a model call"
    assert all(each[0].startswith("[output t1: exit 3, ") for each in heads[1:])
    assert heads[2][1].startswith("[output t2: exit 1, ")


@pytest.mark.req("S3-26", "S3-30", "S3-42")
def test_a_change_from_outside_between_two_turns_stands_at_the_head_of_the_next(
    stage: Stage, model: LoopbackModel
) -> None:
    turn(stage, model, "printf '<old>\\n' > a.txt", "cat a.txt")
    (folder_of(stage) / "a.txt").write_text("<new>\n")
    words = turn(stage, model, "true")
    assert "<old>" not in "".join(words)
    head, _, prompt = prompts(model)[-1].partition("\n\n")
    assert head.startswith(
        'INJECTED_CONTEXT_OBJECTS\n{"news":["[file f1: a.txt has changed, version 2, 6 characters]"]'
    )
    assert json.loads(head.partition("\n")[2])["texts"] == [{"object": "f1", "version": 2, "text": "<new>"}]
    assert "Go on" in prompt


@pytest.mark.req("S3-31", "S3-32", "S3-33", "S3-37", "S3-52", "S3-54", "X-62")
def test_the_model_reads_puts_away_and_brings_back_by_the_skill(stage: Stage, model: LoopbackModel) -> None:
    words = turn(stage, model, "mkdir d; printf '<b>\\n' > d/b.txt", f"cd d && {SKILL} read b.txt")
    assert words[-1].splitlines()[1:] == [
        "indexed already: f1 d/b.txt, version 1",
        "present already: f1",
        "active: f1, its text follows with this result",
        "[text of f1, version 1]",
        "<b>",
    ]
    words = turn(stage, model, f"{SKILL} read d/b.txt")
    assert "active: f1, its text is shown already" in words[-1]
    words = turn(stage, model, f"{SKILL} deactivate f1")
    assert "<b>" not in "".join(words)
    words = turn(stage, model, f"{SKILL} activate f1")
    assert words[-1].endswith("[text of f1, version 1]\n<b>")
    words = turn(stage, model, f"{SKILL} deactivate chat; {SKILL} activate t99; {SKILL} activate nonsense")
    assert "chat is locked" in words[-1]
    assert "none of this conversation has that name" in words[-1]
    assert "id of an object 'nonsense'" in words[-1]


@pytest.mark.req("S3-06", "S3-07", "S3-13", "S3-14", "S3-15", "S3-16", "S3-56", "S3-63", "S3-65", "X-96")
def test_older_versions_outputs_and_the_chat_are_shown_on_request(stage: Stage, model: LoopbackModel) -> None:
    turn(
        stage,
        model,
        "printf '<one>\\n' > a.txt",
        "cat a.txt",
        "printf '<two>\\n' > a.txt",
        "echo '<out>'",
        said="Hello!",
    )
    words = turn(stage, model, f"{SKILL} history f1 --json; {SKILL} show f1 --version 1; {SKILL} diff f1")
    text = words[-1]
    versions = json.loads(text.splitlines()[1])["versions"]
    assert [each["version"]["no"] for each in versions] == [1, 2]
    first = versions[0]["version"]
    assert all(len(first[name]) == 64 for name in ("content_hash", "metadata_hash", "object_hash"))
    assert "<one>" in text
    assert "-<one>\n+<two>" in text
    by_time = f"{SKILL} show f1 --at {first['valid_from']}; {SKILL} show --hash {first['content_hash'][:8]}"
    words = turn(stage, model, by_time)
    assert words[-1].count("<one>") == 2
    words = turn(stage, model, f"{SKILL} show t4; {SKILL} show chat; {SKILL} show f1 --at never")
    assert "<out>" in words[-1]
    chat = words[-1].partition("chat: what was said")[2]
    assert "Hello!" in chat
    assert "cat a.txt" in chat
    assert "\n<one>" not in chat
    assert "time 'never': a moment such as" in words[-1]


def test_lists_say_what_is_shown(stage: Stage, model: LoopbackModel) -> None:
    words = turn(stage, model, "echo '<a>' > a.txt; echo '<b>' > b.txt", "cat a.txt", f"{SKILL} list")
    lines = words[-1].splitlines()
    assert "chat locked chat this conversation" in lines
    assert "f1 active file 3 characters a.txt, version 1" in [line.replace("4 char", "3 char") for line in lines]
    assert any(line.startswith("f2 inactive file") for line in lines)
    words = turn(stage, model, f"{SKILL} list --active; {SKILL} list --kind; {SKILL} pin f2; {SKILL} list --files")
    assert any(line.startswith("f2 pinned file") for line in words[-1].splitlines())


@pytest.mark.req("S3-35", "S3-57", "S3-62")
def test_only_files_of_the_windows_own_folder_enter(stage: Stage, model: LoopbackModel, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("<secret>\n")
    words = turn(
        stage,
        model,
        f"ln -s {secret} link.txt; ln {secret} hard.txt; mkfifo pipe; ls",
        *(f"{SKILL} read {name}" for name in ("link.txt", "hard.txt", "pipe", secret, "../x", "/etc/hostname", ".")),
    )
    assert all("must be a regular file of your folder" in text for text in words[1:])
    assert "<secret>" not in "".join(words)


@pytest.mark.req("S3-18", "S3-51", "S3-58", "S3-64", "X-95")
def test_the_words_of_all_turns_are_there_and_old_outputs_are_lines(stage: Stage, model: LoopbackModel) -> None:
    for number in range(12):
        turn(stage, model, f"seq {number * 100000} {number * 100000 + 6000}", said=f"Question number {number}.")
    said = "".join(prompts(model))
    assert all(f"Question number {number}." in said for number in range(12))
    words = results(model)
    assert len(words) == 12
    assert sum(map(len, words)) < 60_000
    assert words[0].startswith("[output t1: exit 0, ")
    assert len(words[0]) < 100
    log = "".join(path.read_text() for path in (stage.data / "logs").rglob("*.md"))
    assert all(f"\n{number * 100000 + 6000}\n" in log for number in range(12))


@pytest.mark.req("S3-45", "S3-53")
def test_after_a_kill_the_conversation_goes_on_word_for_word(
    server: PlaygroundServer, model: LoopbackModel, tmp_path: Path
) -> None:
    first = started(server, model, tmp_path)
    turn(first, model, "echo '<a>' > a.txt", "cat a.txt", "echo '<out>'")
    before = results(model)
    first.stop()
    second = started(server, model, tmp_path)
    try:
        assert turn(second, model, "true")[: len(before)] == before
    finally:
        second.stop()


@pytest.mark.parametrize("damage", ["gone", "garbage", "folder"])
def test_without_a_sound_store_the_conversation_goes_on(
    server: PlaygroundServer, model: LoopbackModel, tmp_path: Path, damage: str
) -> None:
    stage = started(server, model, tmp_path)
    turn(stage, model, "echo '<a>' > a.txt", "cat a.txt")
    store = tmp_path / "data" / STORE
    if damage == "gone":
        for path in store.parent.iterdir():
            path.unlink()
    elif damage == "garbage":
        stage.stop()
        store.write_bytes(b"no database" * 1000)
        stage = started(server, model, tmp_path)
    else:
        stage.stop()
        for path in store.parent.iterdir():
            path.unlink()
        store.mkdir()
        stage = started(server, model, tmp_path)
    try:
        words = turn(stage, model, "echo '<b>'")
    finally:
        stage.stop()
    assert "<a>" in words[1]
    assert words[2].endswith("<b>")


def test_while_it_is_off_nothing_of_it_is_loaded_but_its_settings(tmp_path: Path) -> None:
    program = (
        "import json, sys; from actors.parts import settings_tables, parts; from actors.settings.load import load;"
        "from actors.bootstrap import agent_plan; from actors.kernel import ActorSystem;"
        "settings = load(environ={}, folder=__import__('pathlib').Path('.'), tables=settings_tables());"
        "parts(agent_plan(settings, {}, ActorSystem(workers=0), None)).specs;"
        "print(json.dumps([name for name in sys.modules if 'objects' in name and name.startswith('actors')]))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(CHECKOUT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(json.loads(done.stdout)) == {
        *("actors.objects", "actors.objects.part", "actors.objects.table"),
    }
