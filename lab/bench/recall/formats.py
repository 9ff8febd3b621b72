"""Readers of public conversation sets: LoCoMo, RealTalk and BEAM as published by their authors.

Each gives this project's own form (`lab.bench.recall.document`). Times missing in a set are made up: turns follow one
another by `STEP` from the session's beginning, and the questions are asked a minute after the last turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lab.bench.recall.document import Document, Question, Turn

STEP = timedelta(seconds=40)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""LoCoMo's and RealTalk's numbers of a question's kind."""
PROBES = "probing_questions.json"
"""Name of BEAM's files of questions; the chat is `chat.json` one folder above."""
_SESSION = re.compile(r"session_(\d+)")
_TURN_ID = re.compile(r"D(\d+):0*(\d+)")
_INDEX = re.compile(r"\s*->->\s*[\d,.\s]*$")
"""Numbering of the plan at the end of BEAM's messages, not part of the conversation."""


def document_of(file: Path, content: object) -> Document | None:
    """Conversation in a set's own form; None for the form of no known set.

    Raises:
        ValueError: The form is a set's, and a part is missing or malformed.
        OSError: BEAM's chat cannot be read.
    """
    try:
        if isinstance(content, dict) and file.name == PROBES:
            return _read_beam(file, content)
        if isinstance(content, dict) and isinstance(content.get("qa"), list):
            sessions = content.get("conversation", content)
            return _read_dialogue(file.stem, sessions, content["qa"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        reason = error if isinstance(error, ValueError) else repr(error)
        raise ValueError(f"{file}: {reason} in a conversation of a public set") from error
    return None


def _read_dialogue(name: str, sessions: Mapping[str, Any], questions: Iterable[Mapping[str, Any]]) -> Document:
    """LoCoMo and RealTalk: sessions of two people, questions with ids of turns as their evidence."""
    numbered = sorted((int(match[1]), key) for key in sessions if (match := _SESSION.fullmatch(key)))
    turns = [turn for _, key in numbered for turn in _session_turns(key, sessions)]
    ids = {turn.id for turn in turns}
    return _document(
        name,
        turns,
        [
            Question(
                id=f"q{number}",
                text=question["question"],
                category=CATEGORIES[question["category"]],
                answer=str(question.get("answer", "")),
                evidence=tuple(dict.fromkeys(one for one in _turn_ids(question["evidence"]) if one in ids)),
            )
            for number, question in enumerate(questions)
        ],
    )


def _session_turns(key: str, sessions: Mapping[str, Any]) -> Iterator[Turn]:
    for place, turn in enumerate(sessions[key]):
        text = turn.get("text") or turn.get("clean_text") or ""
        if caption := turn.get("blip_caption"):
            text = f"{text} [photo: {caption}]"
        if own := turn.get("date_time"):
            said_at = datetime.strptime(own, "%d.%m.%Y, %H:%M:%S").replace(tzinfo=UTC)
        else:
            begin = sessions[f"{key}_date_time"]
            said_at = datetime.strptime(begin, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC) + place * STEP
        yield Turn(id=turn["dia_id"], speaker=turn["speaker"], time=said_at, session=key, text=text.strip())


def _turn_ids(evidence: object) -> Iterator[str]:
    """Ids of turns in a list written by people: several in one string, leading zeros, stray colons."""
    for match in _TURN_ID.finditer(str(evidence).replace("D:", "D")):
        yield f"D{match[1]}:{match[2]}"


def _read_beam(file: Path, questions: Mapping[str, Any]) -> Document:
    """BEAM: a chat of a user and an assistant in batches, questions by kind with numbers of messages."""
    batches = json.loads((file.parent.parent / "chat.json").read_bytes())
    turns: list[Turn] = []
    at = datetime(2024, 1, 1, tzinfo=UTC)
    for batch in batches:
        for message in (message for exchange in batch["turns"] for message in exchange):
            if anchor := message.get("time_anchor"):
                at = max(at, datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC))
            at += STEP
            text = _INDEX.sub("", message["content"])
            session = f"batch {batch['batch_number']}"
            turns.append(Turn(id=str(message["id"]), speaker=message["role"], time=at, session=session, text=text))
    ids = {turn.id for turn in turns}
    return _document(
        f"beam-{file.parent.parent.name}",
        turns,
        [
            Question(
                id=f"{kind}-{number}",
                text=question["question"],
                category="adversarial" if kind == "abstention" else kind,
                answer=str(question.get("answer") or question.get("ideal_answer") or ""),
                evidence=tuple(dict.fromkeys(one for one in _numbers(question.get("source_chat_ids")) if one in ids)),
            )
            for kind, listed in questions.items()
            for number, question in enumerate(listed)
        ],
    )


def _numbers(value: object) -> Iterator[str]:
    """Numbers in nested lists and objects, as ids."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)
    elif isinstance(value, int):
        yield str(value)


def _document(name: str, turns: list[Turn], questions: list[Question]) -> Document:
    if not turns:
        raise ValueError("no turn")
    turns.sort(key=lambda turn: turn.time)
    return Document(
        name=name, now=turns[-1].time + timedelta(minutes=1), turns=tuple(turns), questions=tuple(questions)
    )
