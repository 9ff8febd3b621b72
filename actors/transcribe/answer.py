"""Answers of transcription servers: words without models' inventions in silence, and reasons for people. Pure.

Servers differ in form: an object with `text`, an object with segments too, a bare string, plain text. A model that
hears silence writes the usual ends of films: thanks for watching, credits of subtitles, a word again and again.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from domain.policy.retrying import Fault, FaultKind
from domain.text.presentable import without_hidden
from messages.model import Usage
from messages.web import LONGEST_TRANSCRIPT

_NO_SPEECH, _UNLIKELY = 0.6, -1.0
"""Whisper's own rule: a segment above the first and below the second value is no speech."""
_DOUBTFUL = 0.3
"""Probability of silence above which a phrase also used by people counts as made up."""
_MOST_NUMBER = 10**9
_LEAST_REPETITIONS = 4
_JOINERS = "\u200c\u200d"
"""Not printable by themselves, and part of words of many scripts."""
_LONGEST_LOOP = 6
"""Most words of a repeated phrase."""

_TOKEN = re.compile(r"<\|[^|>]{1,40}\|>|\[ ?blank[ _]?audio ?\]|[♪♫🎵🎶]+", re.IGNORECASE)
"""A token of the model's own."""
_SOUND = re.compile(r"[\[(*] ?(?:[^\W\d]|[ _-]){2,30}[\])*]")
"""Description of a sound, such as of silence or music; without further text, no words were heard."""
_MADE_UP = re.compile(
    r"(?:thanks?(?: you)?(?: (?:so|very) much)?(?: (?:all|everyone|guys))? for (?:watching|listening to this video)"
    r"|(?:please )?(?:like and )?subscribe(?: to (?:my|the|our) channel)?"
    r"|subtitles by (?!default\b).{1,60}|.{0,40}amara ?org.{0,40}"
    r"|untertitel(?:ung)? (?:(?:im auftrag )?des zdf|zdf|ard|br|mdr|ndr|orf|swr|wdr)(?: (?:für )?funk)?(?: \d{4})?"
    r"|untertitel von stephanie geiges|untertitelung aufgrund der audioqualität nicht möglich"
    r"|sous titr\w+ (?:société radio canada|st \d+|réalisés? para? .{1,60})"
    r"|sottotitoli (?:(?:e revisione )?a cura di|creati dalla) .{1,60}|subt[ií]tulos (?:realizados|creados) por .{1,60}"
    r"|редактор субтитров \w \w+(?: корректор \w \w+)?|субтитры \w+ (?:dimatorzok|симон)|продолжение следует"
    r"|gracias por ver(?: el video)?|merci d avoir regard[eé].{0,20}|vielen dank fürs zuschauen"
    r"|ご視聴ありがとうございました|시청해 ?주셔서 감사합니다|(?:请不吝点赞|請不吝點贊).{0,40}|謝謝觀看|谢谢观看"
    r"|(?:中文)?字幕(?: ?by ?|志愿者 |志願者 |[制製]作 ).{1,20})"
)
"""Words that are no whole message of a person, in the form of `_plain`; people speak of subtitles, too."""
_SENTENCE_END = re.compile("(?<=[.!?\u3002\uff01\uff1f])\\s*")
"""Behind the end of a sentence."""
_OFTEN_MADE_UP = frozenset({"you", "thank you", "thanks", "bye", "bye bye", "okay", "so", "the", "uh", "hmm", "danke"})

_WORDS = {
    FaultKind.RATE_LIMIT: "the transcription server asks for fewer calls ({status})",
    FaultKind.QUOTA: "the account at the transcription provider has no quota or credit left",
    FaultKind.SERVER: "the transcription server answered {status} (server error)",
    FaultKind.SLOW: "the transcription server did not answer in time",
    FaultKind.IDLE_STREAM: "the transcription server did not answer in time",
    FaultKind.UNREACHABLE: "the transcription server could not be reached",
    FaultKind.CUT_OFF: "the transcription server broke off its answer",
    FaultKind.UNREADABLE: "the transcription server answered without a transcript",
    FaultKind.BEYOND_BOUND: "the transcription server sent more than is read",
    FaultKind.KEY: "the key for the transcription server is missing or was refused ({status})",
    FaultKind.NOT_FOUND: "the transcription model, or the address of its server, is not known ({status})",
    FaultKind.TOO_LONG: "the recording is larger than the transcription server accepts",
    FaultKind.REJECTED: "the transcription server refused the recording ({status})",
    FaultKind.UNKNOWN: "the transcription failed in a way that is not known here",
}
_NO_CONVERTER = re.compile(r"ffmpeg|failed to (?:read|decode|open)|convert", re.IGNORECASE)
_FORMAT = re.compile(r"file format|could not be decoded|corrupted|not support the format|unsupported", re.IGNORECASE)


class UnreadableError(Exception):
    """Answer without a transcript; `words` are the server's own reason, if given."""

    def __init__(self, words: str = "") -> None:
        super().__init__(words)
        self.words = words


def read_answer(data: bytes) -> str:
    """Words of an answer with status 200; empty if no words were heard.

    Raises:
        UnreadableError: the answer is no transcript.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError from None
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        if text.lstrip().startswith(("<", "{", "[{")):
            raise UnreadableError from None
        answer = text
    if isinstance(answer, str):
        return clean_words(answer)
    if not isinstance(answer, dict) or "error" in answer:
        raise UnreadableError(_error_words(answer))
    segments = [each for each in _list_at(answer, "segments") if isinstance(each, dict)]
    if isinstance(answer.get("text"), str) and not any(map(_is_silence, segments)):
        return clean_words(answer["text"], _silence(segments))
    if not segments and "text" not in answer:
        raise UnreadableError
    spoken = [each for each in segments if not _is_silence(each)]
    return clean_words("".join(str(each.get("text") or "") for each in spoken), _silence(spoken))


def usage_in(data: bytes) -> Usage:
    """Tokens stated by a server with an answer; 0 without a statement, as of servers that count seconds."""
    try:
        stated = json.loads(data).get("usage") or {}
        return Usage(prompt_tokens=_count(stated, "input_tokens"), completion_tokens=_count(stated, "output_tokens"))
    except (ValueError, AttributeError, RecursionError):
        return Usage()


def clean_words(text: str, silence: float = 0.0) -> str:
    """Words on one line, without descriptions of sound and without a model's inventions in silence.

    Args:
        text: As the model wrote it.
        silence: Probability of silence, as far as the server states one.
    """
    printable = "".join(each if each.isprintable() or each in _JOINERS else " " for each in text)
    words = without_hidden(" ".join(_TOKEN.sub(" ", printable).split()))
    plain = _plain(_SOUND.sub(" ", words))
    if not plain or _MADE_UP.fullmatch(plain) or _is_loop(plain.split()):
        return ""
    if silence >= _DOUBTFUL and plain in _OFTEN_MADE_UP:
        return ""
    return _without_credits(words)[:LONGEST_TRANSCRIPT]


def server_fault(fault: Fault) -> Fault:
    """`fault` of a server in words for people, if the server's own words say more than the status."""
    if fault.kind in (FaultKind.REJECTED, FaultKind.SERVER, FaultKind.UNREADABLE):
        reason = ""
        if _FORMAT.search(fault.words):
            reason = "the transcription server cannot read this kind of recording"
        elif _NO_CONVERTER.search(fault.words):
            reason = "the transcription server could not convert the recording (whisper.cpp needs --convert and ffmpeg)"
        if reason:
            return Fault(FaultKind.REJECTED, fault.status, text=reason)
    return fault


def reason_of(fault: Fault, attempts: int) -> str:
    """Reason why there are no words, for a person; made of fixed words and numbers, so it can hold no secret."""
    status = fault.status if fault.status is not None else "no status"
    text = fault.text or _WORDS[fault.kind].format(status=status)
    return f"{text}, {attempts} times" if attempts > 1 else text


def wants_other_form(words: str) -> bool:
    """True if a server's refusal is about the requested form of the answer."""
    return "response_format" in words or "verbose_json" in words


def _plain(words: str) -> str:
    """Letters and digits of `words` in lower case, with single blanks."""
    folded = unicodedata.normalize("NFKC", words).casefold()
    return " ".join("".join(each if each.isalnum() else " " for each in folded).split())


def _is_loop(words: Sequence[str]) -> bool:
    """True if the words are a single short phrase again and again."""
    for length in range(1, _LONGEST_LOOP + 1):
        count, rest = divmod(len(words), length)
        if count < _LEAST_REPETITIONS:
            return False
        if not rest and all(words[at] == words[at % length] for at in range(len(words))):
            return True
    return False


def _without_credits(words: str) -> str:
    """`words` without made-up sentences at the end."""
    sentences = _SENTENCE_END.split(words)
    while len(sentences) > 1 and (not sentences[-1].strip() or _MADE_UP.fullmatch(_plain(sentences[-1]))):
        words = words[: len(words) - len(sentences.pop())].rstrip()
    return words


def _is_silence(segment: Mapping[str, Any]) -> bool:
    return _number(segment, "no_speech_prob", 0.0) > _NO_SPEECH and _number(segment, "avg_logprob", 0.0) < _UNLIKELY


def _silence(segments: Iterable[Mapping[str, Any]]) -> float:
    return min((_number(each, "no_speech_prob", 0.0) for each in segments), default=0.0)


def _number(segment: Mapping[str, Any], key: str, default: float) -> float:
    value = segment.get(key)
    return float(max(-_MOST_NUMBER, min(value, _MOST_NUMBER))) if isinstance(value, int | float) else default


def _count(stated: Mapping[str, Any], key: str) -> int:
    value = stated.get(key)
    return value if isinstance(value, int) and 0 <= value <= _MOST_NUMBER else 0


def _list_at(answer: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = answer.get(key)
    return value if isinstance(value, list) else ()


def _error_words(answer: object) -> str:
    error = answer.get("error") if isinstance(answer, dict) else None
    return json.dumps(error)[:4_000] if error else ""
