"""Voice messages, from the recording to the log, the memory and the answer."""

from __future__ import annotations

import base64
import http.client
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from actors.part import SHIPPED_SKILLS
from domain.log.event import Kind
from lab.loopback_speech.server import LoopbackSpeech, SpeechReply, recording_of
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.cli.command import open_command, run
from tests.e2e.stage import Process, Stage, bot_texts, events, of_kind
from tests.patience import PATIENCE_S, eventually
from tests.trusted import write_settings

AGAIN = "Please send it again, or write it."
LOCAL: dict[str, Any] = {"transcribe.api": "local"}
WORDS = "The spare key is under the blue pot behind the shed."


@pytest.fixture
def speech() -> Iterator[LoopbackSpeech]:
    with LoopbackSpeech() as server:
        yield server


@pytest.fixture
def listening(server: PlaygroundServer, speech: LoopbackSpeech, tmp_path: Path) -> Iterator[Stage]:
    """An agent that has recordings listened to."""
    given: dict[str, Any] = {"transcribe.api": "openai", "transcribe.url": speech.url, "transcribe.timeout_s": 20}
    made = Stage(server, tmp_path / "data", **given)
    yield made
    speech.release()
    made.stop()


def reply_to(stage: Stage, said: int) -> str:
    return str(stage.server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)["content"])


@pytest.mark.req("X-269")
def test_a_voice_message_is_a_message_with_its_words_and_the_file_stays(listening: Stage) -> None:
    said = listening.server.speak(GENERAL_ID, recording_of(WORDS), seconds=4.2)
    reply = reply_to(listening, said)

    (event, *_) = events(listening.data, "discord-channel", GENERAL_ID)
    kept = listening.data / "attachments" / "discord-channel" / str(GENERAL_ID) / str(said) / "voice-message.ogg"
    assert event.content.startswith("[voice message: 4.2 s of speech]\n\n[attached file: voice-message.ogg, ")
    assert "spoken words follow, as whisper-1 wrote them down]" in event.content
    assert f"\n{WORDS}\n" in event.content
    assert kept.read_bytes() == recording_of(WORDS)
    assert "spare key" in reply


def test_what_was_said_by_voice_is_remembered_in_another_thread(listening: Stage) -> None:
    server = listening.server
    reply_to(listening, server.speak(GENERAL_ID, recording_of(WORDS)))
    thread = server.create_thread(GENERAL_ID, "Where things are")

    assert "blue pot" in listening.ask("Where is the spare key?", thread)


def test_a_recording_beside_typed_words_is_words_too(listening: Stage) -> None:
    said = listening.server.say(
        GENERAL_ID, "what do you make of this?", attachments=[("talk.mp3", recording_of(WORDS))]
    )
    reply_to(listening, said)

    (event, *_) = events(listening.data, "discord-channel", GENERAL_ID)
    assert event.content.startswith("what do you make of this?\n\n[attached file: talk.mp3, ")
    assert f"\n{WORDS}\n" in event.content
    assert event.meta_dict()["typed"] == len("what do you make of this?")


def test_spoken_words_follow_edits_and_deletions_of_their_message(listening: Stage) -> None:
    server = listening.server
    said = server.say(GENERAL_ID, "first", attachments=[("talk.ogg", recording_of(WORDS))])
    reply_to(listening, said)
    server.edit(GENERAL_ID, said, "second")
    eventually(lambda: any(each.startswith("second") for each in _user_texts(listening)), PATIENCE_S)
    newest = _user_texts(listening)[-1]
    server.delete(GENERAL_ID, said)

    assert f"\n{WORDS}\n" in newest
    eventually(lambda: len(_tombstones(listening)) == 2, PATIENCE_S)
    thread = server.create_thread(GENERAL_ID, "Where things are")
    assert "blue pot" not in listening.ask("Where is the spare key?", thread)


def test_a_message_that_is_deleted_while_its_words_are_awaited_is_no_message(
    listening: Stage, speech: LoopbackSpeech
) -> None:
    server = listening.server
    speech.script.append(SpeechReply(is_delayed=True))
    said = server.speak(GENERAL_ID, recording_of(WORDS))
    speech.wait_for_calls(1)
    server.delete(GENERAL_ID, said)
    behind = server.say(GENERAL_ID, "run: echo behind")
    speech.release()

    assert "behind" in reply_to(listening, behind)
    assert _user_texts(listening) == ["run: echo behind"]


def test_the_skill_listens_to_a_file_of_the_conversation(listening: Stage) -> None:
    said = listening.server.say(GENERAL_ID, "keep this", attachments=[("talk.bin", recording_of(WORDS))])
    reply_to(listening, said)
    script = SHIPPED_SKILLS / "transcribe" / "scripts" / "transcribe.py"

    assert "blue pot" in listening.ask(f"run: python3 -I {script} attachments/{said}/talk.bin")


def test_the_skill_listens_to_a_file_of_a_command_lines_caller(speech: LoopbackSpeech, tmp_path: Path) -> None:
    (tmp_path / "talk.ogg").write_bytes(recording_of(WORDS))
    write_settings(tmp_path, f'[transcribe]\napi = "openai"\nurl = "{speech.url}"\n')
    script = SHIPPED_SKILLS / "transcribe" / "scripts" / "transcribe.py"

    assert "blue pot" in run("agent-cli", f"run: python3 -I {script} talk.ogg", cwd=tmp_path).stdout


def test_where_memory_is_off_no_log_and_no_folder_gets_the_words(listening: Stage) -> None:
    server = listening.server
    server.slash(GENERAL_ID, "memory off")
    said = server.speak(GENERAL_ID, recording_of(WORDS))
    reply = server.wait_for_reply(
        GENERAL_ID, after=said, timeout_s=PATIENCE_S, until=lambda message: "I have read" in message["content"]
    )

    assert "spare key" in reply["content"]
    kept = [path for path in listening.data.rglob("*") if path.is_file() and b"blue pot" in path.read_bytes()]
    assert kept == []


def test_a_server_that_is_down_is_told_and_loses_nothing(listening: Stage, speech: LoopbackSpeech) -> None:
    speech.always = SpeechReply(401, b"")
    said = listening.server.speak(GENERAL_ID, recording_of(WORDS), seconds=4.2)
    reply = reply_to(listening, said)

    reason = "the key for the transcription server is missing or was refused (401)"
    assert reply == f"I could not listen to your voice message: {reason}. Please send it again, or write it."
    (event, *_) = events(listening.data, "discord-channel", GENERAL_ID)
    assert event.content == "[voice message: 4.2 s of speech]"
    assert f'"note":"not listened to: {reason}"' in event.meta_json
    assert (listening.data / "attachments" / "discord-channel" / str(GENERAL_ID) / str(said)).is_dir()
    assert "4.2 s of speech" not in listening.ask("hello")


def test_a_server_that_hangs_costs_its_time_limit_and_is_told(
    server: PlaygroundServer, speech: LoopbackSpeech, tmp_path: Path
) -> None:
    speech.always = SpeechReply(is_delayed=True)
    given: dict[str, Any] = {"transcribe.api": "whisper.cpp", "transcribe.url": speech.url, "transcribe.timeout_s": 1}
    stage = Stage(server, tmp_path / "data", **given)
    try:
        reply = reply_to(stage, server.speak(GENERAL_ID, recording_of(WORDS)))
        assert "hello" in stage.ask("run: echo hello")
    finally:
        speech.release()
        stage.stop()

    assert reply == f"I could not listen to your voice message: its words did not come within 1 s. {AGAIN}"


def test_silence_is_no_message_of_thanks(listening: Stage, speech: LoopbackSpeech) -> None:
    speech.always = SpeechReply(body={"text": "Thank you for watching!"})

    reply = reply_to(listening, listening.server.speak(GENERAL_ID, recording_of("")))

    assert reply == "I heard no words in your voice message. Please send it again, or write it."
    assert "watching" not in _user_texts(listening)[0]


def test_one_channels_slow_recording_holds_up_its_own_channel_only(listening: Stage, speech: LoopbackSpeech) -> None:
    server = listening.server
    thread = server.create_thread(GENERAL_ID, "elsewhere")
    speech.script.append(SpeechReply(is_delayed=True))
    said = server.speak(GENERAL_ID, recording_of(WORDS))
    speech.wait_for_calls(1)
    behind = server.say(GENERAL_ID, "run: echo behind")

    assert "elsewhere" in listening.ask("run: echo elsewhere", thread)
    assert bot_texts(server) == []
    speech.release()
    assert "spare key" in reply_to(listening, said)
    assert "behind" in reply_to(listening, behind)
    assert [each.splitlines()[0][:14] for each in _user_texts(listening)] == ["[voice message", "run: echo behi"]


def test_a_program_on_this_machine_is_run_in_the_sandbox_and_its_trouble_is_told(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    weights = tmp_path / "models" / "base.bin"
    weights.parent.mkdir()
    weights.write_bytes(b"lmgg")
    stage = Stage(server, tmp_path / "data", **LOCAL | {"transcribe.model": str(weights)})
    try:
        reply = reply_to(stage, server.speak(GENERAL_ID, recording_of(WORDS)))
    finally:
        stage.stop()

    reasons = ("ffmpeg is not installed where commands run", "ffmpeg cannot read this kind of recording")
    assert reply in [f"I could not listen to your voice message: {reason}. {AGAIN}" for reason in reasons]


@pytest.mark.req("X-269")
def test_without_the_setting_the_bot_says_that_it_cannot_listen(stage: Stage) -> None:
    said = stage.server.speak(GENERAL_ID, recording_of(WORDS), seconds=12)

    assert reply_to(stage, said) == "I cannot listen to voice messages here. Please write it instead."
    (event, *_) = events(stage.data, "discord-channel", GENERAL_ID)
    assert event.content == "[voice message: 12 s of speech]"
    assert '"note":"not listened to: speech is not written down here (transcribe.api)"' in event.meta_json
    song = stage.server.say(GENERAL_ID, "listen to this", attachments=[("song.mp3", recording_of("la"))])
    assert "With it came song.mp3" in reply_to(stage, song)


@pytest.mark.req("X-270")
def test_a_message_whose_words_were_awaited_at_a_kill_is_listened_to_afterwards(
    server: PlaygroundServer, speech: LoopbackSpeech, tmp_path: Path
) -> None:
    more = f'[transcribe]\napi = "openai"\nurl = "{speech.url}"\n'
    process = Process(server, tmp_path / "data", more=more)
    try:
        process.start()
        server.wait_for_reply(GENERAL_ID, after=server.say(GENERAL_ID, "hello"), timeout_s=PATIENCE_S)
        speech.script.append(SpeechReply(is_delayed=True))
        said = server.speak(GENERAL_ID, recording_of(WORDS))
        speech.wait_for_calls(1)
        process.kill()
        speech.release()
        process.start()
        server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
        server.say(GENERAL_ID, "run: echo last")
        eventually(lambda: "last" in bot_texts(server)[-1], PATIENCE_S)
    finally:
        process.terminate()

    assert sum("spare key" in text for text in bot_texts(server)) == 1
    logged = of_kind(events(tmp_path / "data", "discord-channel", GENERAL_ID), Kind.USER)
    assert sum(WORDS in text for text in logged) == 1


def _user_texts(stage: Stage) -> list[str]:
    return of_kind(events(stage.data, "discord-channel", GENERAL_ID), Kind.USER)


def _tombstones(stage: Stage) -> list[str]:
    return of_kind(events(stage.data, "discord-channel", GENERAL_ID), Kind.TOMBSTONE)


def test_the_page_of_a_try_has_its_own_voice_messages_heard_without_an_account(tmp_path: Path) -> None:
    options = ("try", "--data", str(tmp_path / "data"), "--no-browser", "--port", "0")
    with open_command("agent", *options, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = urlsplit(re.findall(r"http://\S+", process.stdout.readline())[0])
        page = Page(address.port or 0, f"{address.path}?{address.query}")
        audio = base64.b64encode(recording_of(WORDS)).decode()
        page.post("/control/speak", {"channel_id": str(GENERAL_ID), "audio": audio, "seconds": 2.4})
        eventually(lambda: any("spare key" in text for text in page.texts()), PATIENCE_S)
        page.post("/control/speak", {"channel_id": str(GENERAL_ID), "audio": "T2dnU2Zvcm1zb21lYm9keQ=="})
        eventually(lambda: any("cannot read this kind of recording" in text for text in page.texts()), PATIENCE_S)
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


class Page:
    """The page as its script speaks to the server."""

    def __init__(self, port: int, entrance: str) -> None:
        self._port = port
        self._cookie = self._send("GET", entrance, {}).headers["Set-Cookie"].split("; ")[0]

    def post(self, path: str, body: dict[str, object]) -> None:
        assert self._send("POST", path, {"Content-Type": "application/json"}, json.dumps(body)).status == 200

    def texts(self) -> list[str]:
        answer = self._send("GET", f"/control/channels/{GENERAL_ID}/messages", {})
        return [str(message["content"]) for message in json.loads(answer.body)]

    def _send(self, method: str, path: str, headers: dict[str, str], body: str | None = None) -> PageAnswer:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        cookie = {"Cookie": self._cookie} if hasattr(self, "_cookie") else {}
        try:
            connection.request(method, path, body, headers | cookie)
            response = connection.getresponse()
            return PageAnswer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()


class PageAnswer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
