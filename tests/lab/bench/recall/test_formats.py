from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.bench.recall.data import Conversation, files, read
from lab.bench.recall.formats import PROBES

LOCOMO: dict[str, Any] = {
    "qa": [
        {
            "question": "Where does Mia row?",
            "answer": "On the Amstel",
            "category": 4,
            "evidence": ["D1:2; D2:01", "D:9:9"],
        },
        {"question": "Since which year?", "answer": 2019, "category": 2, "evidence": ["D1:2"]},
        {"question": "Does Mia sing?", "adversarial_answer": "Yes", "category": 5, "evidence": ["D1:1"]},
    ],
    "conversation": {
        "speaker_a": "Mia",
        "session_2_date_time": "12:05 am on 3 May, 2023",
        "session_2": [{"speaker": "Jon", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a red boat"}],
        "session_1_date_time": "1:56 pm on 8 April, 2023",
        "session_1": [
            {"speaker": "Mia", "dia_id": "D1:1", "text": "Good evening."},
            {"speaker": "Mia", "dia_id": "D1:2", "text": "I row on the Amstel."},
        ],
    },
}
REALTALK: dict[str, Any] = {
    "name": {"speaker_1": "Mia", "speaker_2": "Jon"},
    "session_1": [
        {"speaker": "Mia", "dia_id": "D1:1", "clean_text": "Rain again", "date_time": "29.12.2023, 20:15:05"},
        {"speaker": "Jon", "dia_id": "D1:2", "clean_text": "Bring the kayak", "date_time": "29.12.2023, 20:15:40"},
    ],
    "qa": [{"question": "What is to be brought?", "answer": "The kayak", "category": 1, "evidence": ["D1:2"]}],
}
CHAT: list[dict[str, Any]] = [
    {
        "batch_number": 1,
        "turns": [
            [
                {
                    "id": 0,
                    "role": "user",
                    "content": "Answer in Dutch, please. ->-> 1,1",
                    "time_anchor": "March-15-2024",
                },
                {"id": 1, "role": "assistant", "content": "Goed."},
            ]
        ],
    },
    {"batch_number": 2, "turns": [[{"id": 2, "role": "user", "content": "Is it cold?", "time_anchor": None}]]},
]
PROBED: dict[str, Any] = {
    "abstention": [{"question": "Who sang?", "ideal_response": "Nothing says so.", "source_chat_ids": [0]}],
    "instruction_following": [{"question": "Which language?", "answer": "Dutch", "source_chat_ids": {"one": [[0], 7]}}],
}


def write_json(file: Path, content: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def write_beam(folder: Path, chat: object = CHAT, probes: object = PROBED) -> Path:
    write_json(folder / "4" / "chat.json", chat)
    return write_json(folder / "4" / "probing_questions" / PROBES, probes)


def summary(conversation: Conversation) -> tuple[list[tuple[str, str, str, str]], list[tuple[str, str, list[int]]]]:
    """(session, speaker, text, time) of each turn, and (category, answer, evidence) of each question that counts."""
    return (
        [(turn.session, turn.speaker, turn.text, turn.time.isoformat()) for turn in conversation.turns],
        [(case.question.category, str(case.question.answer), sorted(case.evidence)) for case in conversation.cases],
    )


@pytest.mark.req("X-212")
def test_each_public_set_is_read_as_its_authors_publish_it(tmp_path: Path) -> None:
    """LoCoMo with photos and lists of evidence in one string, RealTalk with a time a message, BEAM in two files."""
    conversations = {
        "LoCoMo": summary(read(write_json(tmp_path / "locomo.json", LOCOMO))),
        "RealTalk": summary(read(write_json(tmp_path / "Chat_1.json", REALTALK))),
        "BEAM": summary(read(write_beam(tmp_path))),
    }
    wanted = {
        "LoCoMo": (
            [
                ("session_1", "Mia", "Good evening.", "2023-04-08T13:56:00+00:00"),
                ("session_1", "Mia", "I row on the Amstel.", "2023-04-08T13:56:40+00:00"),
                ("session_2", "Jon", "Look! [photo: a red boat]", "2023-05-03T00:05:00+00:00"),
            ],
            [("single-hop", "On the Amstel", [1, 2]), ("temporal", "2019", [1])],
        ),
        "RealTalk": (
            [
                ("session_1", "Mia", "Rain again", "2023-12-29T20:15:05+00:00"),
                ("session_1", "Jon", "Bring the kayak", "2023-12-29T20:15:40+00:00"),
            ],
            [("multi-hop", "The kayak", [1])],
        ),
        "BEAM": (
            [
                ("batch 1", "user", "Answer in Dutch, please.", "2024-03-15T00:00:40+00:00"),
                ("batch 1", "assistant", "Goed.", "2024-03-15T00:01:20+00:00"),
                ("batch 2", "user", "Is it cold?", "2024-03-15T00:02:00+00:00"),
            ],
            [("instruction_following", "Dutch", [0])],
        ),
    }
    assert conversations == wanted


@pytest.mark.req("X-212")
def test_a_malformed_file_of_a_public_set_is_refused_by_its_name(tmp_path: Path) -> None:
    talk = LOCOMO["conversation"]
    cases: dict[str, tuple[Path, str]] = {
        "no time of a session": (
            write_json(tmp_path / "a.json", LOCOMO | {"conversation": {"session_1": talk["session_1"]}}),
            "session_1_date_time",
        ),
        "another time": (
            write_json(tmp_path / "b.json", LOCOMO | {"conversation": talk | {"session_1_date_time": "yesterday"}}),
            "yesterday",
        ),
        "no turn": (write_json(tmp_path / "c.json", LOCOMO | {"conversation": {}}), ": no turn"),
        "no such kind": (
            write_json(tmp_path / "d.json", LOCOMO | {"qa": [{"question": "?", "category": 9, "evidence": []}]}),
            "9",
        ),
        "turns that are numbers": (
            write_json(tmp_path / "e.json", LOCOMO | {"conversation": talk | {"session_2": [1]}}),
            "in a conversation of a public set",
        ),
        "a chat that is no list": (write_beam(tmp_path / "f", chat={"turns": 1}), PROBES),
        "questions that are no list": (write_beam(tmp_path / "g", probes={"abstention": 1}), PROBES),
    }
    failures = []
    for name, (file, complaint) in cases.items():
        try:
            read(file)
        except ValueError as error:
            if complaint not in str(error) or str(file) not in str(error):
                failures.append((name, str(error)))
        else:
            failures.append((name, "was read"))
    assert not failures


def test_beams_questions_are_the_files_of_a_folder_of_it_and_a_missing_chat_is_told(tmp_path: Path) -> None:
    probes = write_beam(tmp_path)
    assert files(tmp_path) == [probes]
    (tmp_path / "4" / "chat.json").unlink()
    with pytest.raises(OSError, match=r"chat\.json"):
        read(probes)
