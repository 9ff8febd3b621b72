"""whisper.cpp's program: one command for each recording, run by the shell; the programs are scripts of these tests."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.kernel import ActorSpec, ActorSystem
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from actors.transcribe.actor import TranscribeActor
from actors.transcribe.config import Api, TranscribeConfig
from actors.transcribe.program import MAGIC, ProgramEngine, missing_programs
from lab.loopback_speech.server import recording_of
from messages.base import Message, RequestId
from messages.shell import SHELL
from messages.socket import Refused
from messages.web import TRANSCRIBE, TranscribeAudio, Transcribed, TranscribeFile
from tests.actors.transcribe.bench import window
from tests.patience import PATIENCE_S

FFMPEG = """#!/bin/bash
while [ "$1" != -i ]; do shift; done
file=${2#file:}
grep -q OggS "$file" && cp "$file" "${!#}"
"""
WHISPER = """#!/bin/bash
printf '%s\\n' "$*" > whisper.arguments
[ -e broken ] && exit 3
[ -e hung ] && sleep 240
while [ "$1" != -f ]; do shift; done
printf ' '; tr -d '\\000' < "$2" | sed 's/.*words://'; printf '\\n'
"""

Ask = Callable[[Message], Message]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, text in (("ffmpeg", FFMPEG), ("whisper-cli", WHISPER)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "models" / "speech" / "base.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(MAGIC + bytes(100))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The window's working directory, with a recording in it."""
    path = tmp_path / "data" / "work" / window().surface.value / window().id
    path.mkdir(parents=True)
    (path / "a.ogg").write_bytes(recording_of("water the plants"))
    return path


@pytest.fixture
def make(tmp_path: Path, weights: Path) -> Iterator[Callable[..., Ask]]:
    systems: list[ActorSystem] = []

    def build_agent(*, shell: dict[str, Any] | None = None, **settings: Any) -> Ask:
        given: dict[str, Any] = {"api": Api.LOCAL, "model_file": str(weights), "timeout_s": PATIENCE_S}
        config = TranscribeConfig(**given | settings)
        data = tmp_path / "data"
        options: dict[str, Any] = {"sandbox": "none"} | (shell or {})
        system = ActorSystem(workers=2)
        systems.append(system)
        shells = ShellConfig(work_root=data / "work", data_root=data, **options)
        system.register(ActorSpec(SHELL.kind, lambda _key: ShellActor(shells), core=True))

        def build(_key: str) -> TranscribeActor:
            return TranscribeActor(
                config,
                engine_of=lambda actor: ProgramEngine(config, actor, 2),
                locate_file=lambda _, path: (data, path),
            )

        system.register(ActorSpec(TRANSCRIBE.kind, build, is_eager=True))
        system.start()
        edge = system.edge("test")

        def ask(message: Message) -> Message:
            edge.tell(TRANSCRIBE, message)
            return edge.receive(PATIENCE_S, lambda answer: isinstance(answer, Transcribed | Refused))

        return ask

    yield build_agent
    for system in systems:
        system.stop()
        assert system.dead_letters.count == 0


NUMBERS = itertools.count(1)


def of_file(path: str) -> TranscribeFile:
    request_id = RequestId(f"f{next(NUMBERS)}")
    return TranscribeFile(request_id=request_id, reply_to=EDGE, window=window(), path=path)


def of_message(path: str) -> TranscribeAudio:
    request_id = RequestId(f"m{next(NUMBERS)}")
    return TranscribeAudio(request_id=request_id, reply_to=EDGE, window=window(), audio=recording_of("x"), path=path)


EDGE = ActorSystem(workers=0).edge("test").address


def outcome(answer: Message) -> str:
    return answer.text if isinstance(answer, Transcribed) else getattr(answer, "reason", repr(answer))


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("name", ["a.ogg", "-b.ogg", "a b'c$(touch made).ogg", "sub/é.ogg"])
def test_a_recording_is_converted_and_listened_to_whatever_its_name(
    make: Callable[..., Ask], folder: Path, weights: Path, name: str
) -> None:
    place = folder / name
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(recording_of("water the plants"))

    assert outcome(make(language="de")(of_file(name))) == "water the plants"
    arguments = (folder / "whisper.arguments").read_text().split()
    assert arguments[:2] == ["-m", str(weights)]
    assert arguments[4:] == ["-l", "de", "-t", "2", "-np", "-nt"]
    assert not (folder / "made").exists()


@pytest.mark.usefixtures("programs")
def test_each_way_to_fail_has_its_reason(make: Callable[..., Ask], folder: Path) -> None:
    (folder / "text.ogg").write_text("no recording")
    ask = make()
    assert outcome(ask(of_file("text.ogg"))) == "ffmpeg cannot read this kind of recording"
    assert outcome(ask(of_message(""))).startswith("the file is not kept here")
    (folder / "silence.ogg").write_bytes(recording_of("[BLANK_AUDIO]"))
    assert outcome(ask(of_file("silence.ogg"))) == ""
    (folder / "broken").touch()
    assert outcome(ask(of_file("a.ogg"))) == "whisper.cpp failed on the recording"


@pytest.mark.usefixtures("programs", "folder")
def test_a_program_that_hangs_is_ended_after_the_time_limit(make: Callable[..., Ask], folder: Path) -> None:
    (folder / "hung").touch()

    ask = make(timeout_s=1.0)
    assert outcome(ask(of_file("a.ogg"))) in ("its words did not come within 1 s", "whisper.cpp did not end in time")
    (folder / "hung").unlink()
    assert outcome(ask(of_file("a.ogg"))) in ("water the plants", "its words did not come within 1 s")


@pytest.mark.usefixtures("folder")
def test_what_is_missing_is_named(
    make: Callable[..., Ask], programs: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert missing_programs() == ()
    (programs / "whisper-cli").unlink()
    if shutil.which("whisper-cli") is None:
        assert missing_programs() == ("whisper-cli",)
        assert outcome(make()(of_file("a.ogg"))) == "whisper-cli is not installed where commands run"
    weights.write_bytes(b"GGUF")
    assert outcome(make()(of_file("a.ogg"))) == f"{weights} holds no weights of whisper.cpp's"
    weights.unlink()
    assert outcome(make()(of_file("a.ogg"))) == f"the weights {weights} cannot be read: No such file or directory"


@pytest.mark.usefixtures("programs", "folder")
def test_where_commands_are_off_nothing_is_listened_to(make: Callable[..., Ask]) -> None:
    assert "no program may run here" in outcome(make(shell={"enabled": False})(of_file("a.ogg")))
