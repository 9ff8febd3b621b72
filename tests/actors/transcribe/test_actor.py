"""The actor before the transcription: turns of windows, files of commands, ends."""

from __future__ import annotations

from actors.transcribe import actor
from lab.loopback_speech.server import LoopbackSpeech, SpeechReply, recording_of
from messages.base import RequestId
from messages.status import DescribeYourself, SelfDescription
from messages.web import TRANSCRIBE, TRANSCRIPTION_RESTARTED, Transcribed
from tests.actors.transcribe.bench import Bench, window


def test_one_windows_slow_recording_keeps_no_other_window_waiting(server: LoopbackSpeech, bench: Bench) -> None:
    server.script.append(SpeechReply(is_delayed=True))
    slow = bench.ask(of=window(1))
    server.wait_for_calls(1)
    behind = bench.ask(recording_of("second"), of=window(1))

    heard = bench.answer(bench.ask(of=window(2)))
    server.release()

    assert isinstance(heard, Transcribed)
    assert [getattr(bench.answer(each), "text", None) for each in (slow, behind)] == ["hello", "second"]


def test_a_window_may_have_so_many_recordings_waiting(server: LoopbackSpeech, bench: Bench) -> None:
    server.always = SpeechReply(is_delayed=True)
    asked = [bench.ask() for _ in range(actor.MOST_OF_WINDOW + 2)]

    assert bench.reason(asked[-1]) == "too many recordings are waiting; try again later"
    server.release()
    assert all(isinstance(bench.answer(each), Transcribed) for each in asked[:-1])


def test_whoever_waits_at_a_stop_is_told_so(server: LoopbackSpeech, bench: Bench) -> None:
    server.always = SpeechReply(is_delayed=True)
    request_id = bench.ask()
    server.wait_for_calls(1)

    bench.system.stop()

    assert bench.reason(request_id) == TRANSCRIPTION_RESTARTED


def test_a_file_of_the_working_directory_and_an_attachment_are_listened_to(bench: Bench) -> None:
    work = bench.root / "work" / window().id
    kept = bench.root / "attachments" / window().surface.value / window().id / "7"
    for folder, words in ((work, "from the folder"), (kept, "from a message")):
        folder.mkdir(parents=True)
        (folder / "a.ogg").write_bytes(recording_of(words))

    answers = [bench.answer(bench.ask_file(path)) for path in ("a.ogg", "attachments/7/a.ogg")]

    assert [getattr(each, "text", None) for each in answers] == ["from the folder", "from a message"]


def test_a_file_elsewhere_a_link_and_nothing_at_all_are_refused(server: LoopbackSpeech, bench: Bench) -> None:
    work = bench.root / "work" / window().id
    work.mkdir(parents=True)
    (bench.root / "secret.ogg").write_bytes(recording_of("secret"))
    (work / "link.ogg").symlink_to(bench.root / "secret.ogg")

    reasons = [bench.reason(bench.ask_file(path)) for path in ("../../secret.ogg", "link.ogg", "none.ogg")]

    assert all(reasons)
    assert server.calls == []


def test_the_status_counts_what_was_heard_and_names_the_last_fault(server: LoopbackSpeech, bench: Bench) -> None:
    server.script.extend([SpeechReply(), SpeechReply(401, b"")])
    bench.words()
    bench.refusal()

    bench.edge.tell(TRANSCRIBE, DescribeYourself(request_id=RequestId("d"), reply_to=bench.edge.address))
    described = bench.answer(RequestId("d"))

    assert isinstance(described, SelfDescription)
    assert dict(described.figures) == {
        "api": "openai",
        "model": "whisper-1",
        "waiting": 0,
        "heard": 1,
        "unheard": 1,
        "last_fault": "the key for the transcription server is missing or was refused (401)",
    }
