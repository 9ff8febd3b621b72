"""`/memory me`: what would be brought up about oneself, with buttons to forget each or all, and as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from actors.socket.client import ask_operator
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUEST_ID, YOU_ID
from tests.actors.cli.command import run
from tests.e2e.stage import Stage
from tests.patience import PATIENCE_S, eventually

HERON, HERON_AGAIN = "the grey heron nests behind our mill", "another heron came to the mill pond"
OTHERS = "a heron is a bird of patience"


def tell(stage: Stage, text: str, user: int) -> None:
    """Say something, and wait until the index has the text with the answer."""
    before = ask_operator(stage.data, "memory.stats", window="cli/operator")["rows"]
    said = stage.server.say(GENERAL_ID, text, user=user)
    stage.server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
    eventually(lambda: ask_operator(stage.data, "memory.stats", window="cli/operator")["rows"] == before + 2)


def read(server: PlaygroundServer, outcome: Any) -> dict[str, Any]:
    """The answer, which the caller alone sees."""
    assert outcome.ephemeral
    answer = server.wait_for_answer(outcome.id)
    assert answer is not None
    return answer


def press(server: PlaygroundServer, seen: dict[str, Any], label: str, user: int = GUEST_ID) -> dict[str, Any]:
    """Press a button below an answer; the answer to that."""
    buttons = [button for row in seen["components"] for button in row["components"]]
    (button,) = [each for each in buttons if each["label"] == label]
    return read(server, server.click(GENERAL_ID, int(seen["id"]), button["custom_id"], user=user))


def holds(root: Path, words: str) -> bool:
    """True if a file of the data root has the words."""
    return any(words.encode() in file.read_bytes() for file in root.rglob("*") if file.is_file())


def list_about_guest(server: PlaygroundServer) -> dict[str, Any]:
    return read(server, server.slash(GENERAL_ID, "memory me", user=GUEST_ID))


@pytest.mark.req("X-252")
def test_a_person_forgets_one_memory_then_all_own_ones_and_others_stay(stage: Stage) -> None:
    server = stage.server
    tell(stage, HERON, GUEST_ID)
    tell(stage, HERON_AGAIN, GUEST_ID)
    tell(stage, OTHERS, YOU_ID)
    seen = list_about_guest(server)
    lines = [line for line in seen["content"].splitlines() if line[0].isdigit()]
    (number,) = [line.partition(".")[0] for line in lines if HERON in line]
    preview = press(server, seen, f"Forget {number}")
    assert HERON in preview["content"]
    assert HERON_AGAIN not in preview["content"]
    assert press(server, preview, "Forget")["content"].startswith("Forgotten: ")
    assert not holds(stage.data, HERON)
    assert holds(stage.data, HERON_AGAIN)
    preview = press(server, list_about_guest(server), "Forget all of mine")
    assert press(server, preview, "Forget")["content"].startswith("Forgotten: ")
    assert not holds(stage.data, HERON_AGAIN)
    assert holds(stage.data, OTHERS)
    assert "would be brought up" in list_about_guest(server)["content"]


@pytest.mark.req("X-252")
def test_the_list_comes_as_a_file_for_the_person_and_for_the_operator(stage: Stage, tmp_path: Path) -> None:
    server = stage.server
    tell(stage, HERON, GUEST_ID)
    exported = press(server, list_about_guest(server), "Export as a file")
    (file,) = exported["attachments"]
    assert file["filename"] == "memories.json"
    content = json.loads(server.run(lambda: server.hub.files.get(int(file["id"]))) or b"[]")
    name = server.run(lambda: server.hub.world.users[GUEST_ID].name)
    done = run("agent", "memory", "me", name, "--export", "out.json", "--data", str(stage.data), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    memories = json.loads((tmp_path / "out.json").read_text())
    for told in (content, memories):
        assert [each["excerpt"] for each in told if each["role"] == "user"] == [HERON]
    assert (tmp_path / "out.json").stat().st_mode & 0o777 == 0o600
    again = run("agent", "memory", "me", name, "--export", "out.json", "--data", str(stage.data), cwd=tmp_path)
    assert again.returncode == 1
