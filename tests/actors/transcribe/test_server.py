"""Servers of transcriptions: requests, answers, and failures that people have reported.

Each case of a failure is told in own words from the report that its id names.
"""

from __future__ import annotations

from typing import Any

import pytest

from actors.transcribe.config import Api
from actors.transcribe.container import container_of
from lab.loopback_speech.server import LoopbackSpeech, SpeechReply, recording_of
from messages.model import SPENT, CallKind, CallOutcome, CallSpent
from tests.actors.transcribe.bench import KEY, Bench, window
from tests.actors.transcribe.conftest import MakeBench
from tests.patience import PATIENCE_S

SPEECH = {"no_speech_prob": 0.01, "avg_logprob": -0.2}
SILENCE = {"no_speech_prob": 0.91, "avg_logprob": -1.3}
DOUBT = {"no_speech_prob": 0.45, "avg_logprob": -0.6}
M4A = b"\0\0\0\x20ftypM4A " + bytes(20)


def segments(*pairs: tuple[str, dict[str, float]]) -> dict[str, Any]:
    return {
        "task": "transcribe",
        "language": "english",
        "duration": 3.1,
        "text": "".join(text for text, _ in pairs),
        "segments": [{"id": number, "text": text, **how} for number, (text, how) in enumerate(pairs)],
    }


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param({"text": "Water the plants, please."}, "Water the plants, please.", id="OpenAI json"),
        pytest.param(
            segments((" Water the plants,", SPEECH), (" please.", SPEECH)),
            "Water the plants, please.",
            id="OpenAI and groq verbose_json",
        ),
        pytest.param(
            {"text": "Water the plants.", "x_groq": {"id": "req_1"}}, "Water the plants.", id="groq json with its id"
        ),
        pytest.param("Water the plants.\n", "Water the plants.", id="text, whatever was asked for"),
        pytest.param('"Water the plants."', "Water the plants.", id="a JSON string"),
        pytest.param("\ufeffWater the plants.", "Water the plants.", id="text with a byte order mark"),
        pytest.param(
            {"segments": [{"id": 0, "start": 0, "end": 3_000_000_000, "text": "Water the plants.", "tokens": [1]}]},
            "Water the plants.",
            id="LocalAI issue 5327, segments without probabilities",
        ),
        pytest.param(
            {"text": " Water\n the plants.\n"}, "Water the plants.", id="whisper.cpp /inference, a line a segment"
        ),
        pytest.param({"text": ""}, "", id="an empty text"),
        pytest.param({"text": " [BLANK_AUDIO]\n"}, "", id="whisper.cpp, silence"),
        pytest.param({"text": "(silence) [ Silence ]"}, "", id="descriptions of silence"),
        pytest.param({"text": "♪♪ *music*"}, "", id="music"),
        pytest.param({"text": "[BLANK_AUDIO] Water the plants."}, "Water the plants.", id="silence before speech"),
        pytest.param({"text": "I asked Bob (my brother)."}, "I asked Bob (my brother).", id="parentheses of speech"),
        pytest.param({"text": "Thank you for watching!"}, "", id="whisperIME issue 57, an empty recording"),
        pytest.param({"text": "Thanks for watching! " * 4}, "", id="subgen issue 21, repeated thanks"),
        pytest.param({"text": "시청해주셔서 감사합니다!"}, "", id="pocketshell issue 452, in Korean"),
        pytest.param(
            {"text": "明日来ます。ご視聴ありがとうございました。"},
            "明日来ます。",
            id="vibe issue 620, at the end, in Japanese",
        ),
        pytest.param({"text": "you you you you you"}, "", id="screenpipe pull 4070, one word again and again"),
        pytest.param(segments((" Thank you.", DOUBT)), "", id="EnviousWispr issue 452, thanks out of doubt"),
        pytest.param(segments((" Thank you.", SPEECH)), "Thank you.", id="thanks that were said"),
        pytest.param({"text": "Thank you."}, "Thank you.", id="thanks of which nothing is known"),
        pytest.param(
            segments((" One, two, three.", SPEECH), (" Thank you.", SILENCE)),
            "One, two, three.",
            id="EnviousWispr issue 452, thanks behind speech",
        ),
        pytest.param(
            {"text": "No, no, no, that is fine."}, "No, no, no, that is fine.", id="words that people do repeat"
        ),
        pytest.param({"text": "a\u0007b\u202e c"}, "a b c", id="control characters"),
        pytest.param({"text": "ශ්\u200dරී ලංකා"}, "ශ්\u200dරී ලංකා", id="a joiner within a word of Sinhala"),
        pytest.param({"text": "می\u200cخواهم"}, "می\u200cخواهم", id="a joiner within a word of Persian"),
        pytest.param({"text": "pass\u200dword\u200c"}, "password", id="joiners that hide"),
        pytest.param(segments((" Yes.", {"no_speech_prob": 10**400})), "Yes.", id="a number beyond all floats"),
        pytest.param({"text": "Untertitel sind nicht zu sehen."}, "Untertitel sind nicht zu sehen.", id="German"),
        pytest.param({"text": "Субтитры не работают."}, "Субтитры не работают.", id="Russian, of subtitles"),
        pytest.param({"text": "字幕怎么打开?"}, "字幕怎么打开?", id="Chinese, of subtitles"),
        pytest.param({"text": "It ends. Sottotitoli, no."}, "It ends. Sottotitoli, no.", id="Italian, at the end"),
        pytest.param({"text": "Untertitel im Auftrag des ZDF für funk, 2017"}, "", id="German credits"),
        pytest.param({"text": "Untertitelung. BR 2018"}, "", id="German credits of a broadcaster"),
        pytest.param({"text": "Субтитры создавал DimaTorzok"}, "", id="Russian credits"),
        pytest.param({"text": "Редактор субтитров А.Семкин Корректор А.Егорова"}, "", id="Russian credits of two"),
        pytest.param({"text": "字幕by索兰娅"}, "", id="Chinese credits"),
        pytest.param({"text": "Sottotitoli e revisione a cura di QTSS"}, "", id="Italian credits"),
        pytest.param({"text": "Sous-titrage Société Radio-Canada"}, "", id="French credits"),
    ],
)
def test_answers_of_every_form_are_words_and_silence_is_none(
    server: LoopbackSpeech, bench: Bench, body: object, words: str
) -> None:
    server.always = SpeechReply(body=body)

    assert bench.words() == words
    assert len(server.calls) == 1


@pytest.mark.req("X-270")
@pytest.mark.parametrize(
    ("reply", "reason", "calls"),
    [
        pytest.param(
            SpeechReply(400, {"error": {"message": "Invalid file format. Supported formats: ['flac', 'ogg']"}}),
            "the transcription server cannot read this kind of recording",
            1,
            id="streamlit-mic-recorder issue 10, OpenAI refuses the format",
        ),
        pytest.param(
            SpeechReply(400, {"error": {"message": "Audio file might be corrupted or unsupported"}}),
            "the transcription server cannot read this kind of recording",
            1,
            id="hermes-agent issue 68719, a newer model refuses Opus",
        ),
        pytest.param(
            SpeechReply(413, {"error": {"message": "Maximum content size limit (26214400) exceeded"}}),
            "the recording is larger than the transcription server accepts",
            1,
            id="buzz issue 381, beyond 25 MB",
        ),
        pytest.param(
            SpeechReply(413, {"error": {"message": "Request Entity Too Large", "code": "request_too_large"}}),
            "the recording is larger than the transcription server accepts",
            1,
            id="ScribeWizard pull 5, groq",
        ),
        pytest.param(
            SpeechReply(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}),
            "the key for the transcription server is missing or was refused (401)",
            1,
            id="a wrong key",
        ),
        pytest.param(
            SpeechReply(404, {"detail": "Model 'x' is not installed locally. You can download the model"}),
            "the transcription model, or the address of its server, is not known (404)",
            1,
            id="speaches, ODS issue 1247, a model that is not there",
        ),
        pytest.param(
            SpeechReply(400, {"error": {"message": "invalid model ID", "type": "invalid_request_error"}}),
            "the transcription server refused the recording (400)",
            1,
            id="speaches issue 17, a model of another server",
        ),
        pytest.param(
            SpeechReply(500, {"error": {"code": 500, "message": 'exec: "ffmpeg": executable file not found in $PATH'}}),
            "the transcription server could not convert the recording (whisper.cpp needs --convert and ffmpeg)",
            1,
            id="LocalAI issue 4767, without ffmpeg",
        ),
        pytest.param(
            SpeechReply(200, {"error": "Failed to execute ffmpeg command."}),
            "the transcription server could not convert the recording (whisper.cpp needs --convert and ffmpeg)",
            1,
            id="whisper.cpp pull 1539, an error with status 200",
        ),
        pytest.param(
            SpeechReply(400, b'{"error":"failed to read audio data"}'),
            "the transcription server could not convert the recording (whisper.cpp needs --convert and ffmpeg)",
            1,
            id="whisper.cpp issue 3774, without --convert",
        ),
        pytest.param(
            SpeechReply(500, b"Internal Server Error"),
            "the transcription server answered 500 (server error), 3 times",
            3,
            id="speaches issue 338, a plain 500",
        ),
        pytest.param(
            SpeechReply(429, {"error": {"message": "Rate limit reached"}}),
            "the transcription server asks for fewer calls (429), 3 times",
            3,
            id="groq, too many requests a minute",
        ),
        pytest.param(
            SpeechReply(429, {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}),
            "the account at the transcription provider has no quota or credit left",
            1,
            id="OpenAI, no credit",
        ),
        pytest.param(
            SpeechReply(200, b"<!doctype html><title>Login</title>"),
            "the transcription server answered without a transcript, 3 times",
            3,
            id="a web page",
        ),
        pytest.param(
            SpeechReply(200, {"transcript": "hello"}),
            "the transcription server answered without a transcript, 3 times",
            3,
            id="an object of another form",
        ),
        pytest.param(
            SpeechReply(200, b"\xff\xfe\x00"),
            "the transcription server answered without a transcript, 3 times",
            3,
            id="bytes",
        ),
        pytest.param(SpeechReply(cut=True), "the transcription server broke off its answer, 3 times", 3, id="a cut"),
    ],
)
def test_a_failure_is_tried_again_where_that_may_help_and_told_in_words_for_people(
    server: LoopbackSpeech, bench: Bench, reply: SpeechReply, reason: str, calls: int
) -> None:
    server.always = reply

    assert bench.refusal() == reason
    assert len(server.calls) == calls


def test_a_failure_that_passes_costs_nothing_but_a_wait(server: LoopbackSpeech, bench: Bench) -> None:
    server.script.extend([SpeechReply(503, b"busy"), SpeechReply(cut=True)])

    assert bench.words() == "hello"


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(
            SpeechReply(400, {"error": {"message": "response_format 'verbose_json' is not compatible with model 'g'"}}),
            id="OpenAI, gpt-4o-transcribe",
        ),
        pytest.param(
            SpeechReply(500, {"error": {"code": 500, "message": "invalid response_format", "type": ""}}),
            id="integration_openai issue 346, LocalAI",
        ),
    ],
)
def test_a_model_without_segments_is_asked_for_plain_words_from_then_on(
    server: LoopbackSpeech, bench: Bench, refusal: SpeechReply
) -> None:
    server.script.append(refusal)

    assert (bench.words(), bench.words()) == ("hello", "hello")
    assert [call.fields["response_format"] for call in server.calls] == ["verbose_json", "json", "json"]


def test_a_recording_is_sent_as_a_form_with_the_key_and_the_operators_choices(
    server: LoopbackSpeech, make_bench: MakeBench
) -> None:
    make_bench(model="whisper-large-v3", language="de").words()

    (call,) = server.calls
    assert call.path.endswith("/v1/audio/transcriptions")
    assert call.fields == {
        "model": "whisper-large-v3",
        "language": "de",
        "response_format": "verbose_json",
        "temperature": "0",
    }
    assert (call.filename, call.media_type, call.recording) == ("recording.ogg", "audio/ogg", recording_of("hello"))
    assert call.headers["Authorization"] == f"Bearer {KEY}"


def test_whisper_cpps_server_is_asked_in_its_own_form(server: LoopbackSpeech, make_bench: MakeBench) -> None:
    assert make_bench(api=Api.WHISPER_CPP, key="").words() == "hello"

    (call,) = server.calls
    assert call.path.endswith("/inference")
    assert call.fields == {"language": "auto", "response_format": "json", "temperature": "0"}
    assert "Authorization" not in call.headers


def test_an_address_with_the_path_is_the_same_address(server: LoopbackSpeech, make_bench: MakeBench) -> None:
    """As in VideoCaptioner issue 724, where the path was put behind itself."""
    assert make_bench(url=f"{server.url}/audio/transcriptions").words() == "hello"


def test_the_kind_of_a_recording_is_that_of_its_bytes(server: LoopbackSpeech, bench: Bench) -> None:
    """As in hermes-agent issue 68719, where a file called .ogg was MP4, and servers judge by the name."""
    bench.answer(bench.ask(M4A))

    assert (server.calls[0].filename, server.calls[0].media_type) == ("recording.m4a", "audio/mp4")


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (b"OggS\0\2", "ogg"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "wav"),
        (b"fLaC\0", "flac"),
        (b"ID3\x04", "mp3"),
        (b"\xff\xfb\x90", "mp3"),
        (b"\xff\xf1\x50", "aac"),
        (b"\x1aE\xdf\xa3", "webm"),
        (b"#!AMR\n", "amr"),
        (b"FORM\0\0\0\0AIFF", "aiff"),
        (M4A, "m4a"),
    ],
)
def test_containers_are_known_by_their_first_bytes(data: bytes, ending: str) -> None:
    container = container_of(data)
    assert container is not None
    assert container.ending == ending


def test_what_is_no_recording_is_sent_nowhere(server: LoopbackSpeech, bench: Bench) -> None:
    assert bench.refusal(b"hello, this is text") == "its audio format is unknown"
    assert server.calls == []


def test_each_call_is_entered_with_the_tokens_that_the_server_states(server: LoopbackSpeech, bench: Bench) -> None:
    usage = {"type": "tokens", "input_tokens": 14, "output_tokens": 45, "total_tokens": 59}
    server.script.extend([SpeechReply(503, b"busy"), SpeechReply(body={"text": "hello", "usage": usage})])
    bench.edge.follow(SPENT)

    assert bench.words() == "hello"
    first, second = (bench.edge.receive(PATIENCE_S, lambda each: isinstance(each, CallSpent)) for _ in range(2))
    assert isinstance(first, CallSpent)
    assert isinstance(second, CallSpent)
    assert (first.outcome, second.outcome) == (CallOutcome.FAILED, CallOutcome.ANSWERED)
    assert (second.kind, second.owner, second.model) == (CallKind.TRANSCRIPTION, window().address.key, "whisper-1")
    assert (second.prompt_tokens, second.completion_tokens, second.is_estimated) == (14, 45, False)


def test_openai_is_not_asked_for_more_than_it_takes(make_bench: MakeBench) -> None:
    """As in chatwoot pull 14335, where 413 came after the whole upload."""
    large = recording_of("a" * 25_000_001)

    assert make_bench(url="").refusal(large).endswith(" bytes, and OpenAI takes at most 25,000,000")


def test_a_server_that_never_answers_costs_the_time_limit_and_no_more(
    server: LoopbackSpeech, make_bench: MakeBench
) -> None:
    server.always = SpeechReply(is_delayed=True)

    assert make_bench(timeout_s=0.2).refusal() == "its words did not come within 0.2 s"


def test_neither_key_nor_recording_follows_a_redirection(server: LoopbackSpeech, bench: Bench) -> None:
    server.always = SpeechReply(307, b"", headers={"Location": f"{server.url}/inference"})

    assert bench.refusal() == "the transcription server refused the recording (307)"
    assert len(server.calls) == 1


def test_an_answer_without_end_is_given_up(server: LoopbackSpeech, bench: Bench) -> None:
    server.always = SpeechReply(body=b"a" * (9 << 20))

    assert bench.refusal() == "the transcription server sent more than is read"
