from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel import Actor
from actors.part import SHIPPED_SKILLS
from messages.socket import Refused
from messages.web import Transcribed, TranscribeFile
from tests.skills.sandboxed import WINDOW, door_to, run_script

SCRIPT = SHIPPED_SKILLS / "transcribe" / "scripts" / "transcribe.py"


class FakeTranscribeActor(Actor):
    """Hears the path of a file in it, nothing in `silence.ogg`, and refuses `no.ogg`."""

    def handle(self, message: TranscribeFile) -> None:
        if message.path == "no.ogg":
            self.tell(message.reply_to, Refused(request_id=message.request_id, reason="a rule"))
            return
        text = "" if message.path == "silence.ogg" else f"{message.window.id} {message.path}"
        self.tell(message.reply_to, Transcribed(request_id=message.request_id, text=text, model="m"))


@pytest.fixture
def door() -> Iterator[Path]:
    with door_to(FakeTranscribeActor, "transcribe.file", TranscribeFile) as path:
        yield path


@pytest.mark.parametrize(
    ("command", "code", "stdout", "stderr"),
    [
        ('"$S" a.ogg', 0, f"{WINDOW.id} a.ogg\n", ""),
        ('mkdir b; cd b; "$S" ../attachments/1/a.ogg', 0, f"{WINDOW.id} attachments/1/a.ogg\n", ""),
        ('HOME=/elsewhere "$S" a.ogg', 0, f"{WINDOW.id} a.ogg\n", ""),
        ('"$S" "$HOME/b/a.ogg"', 0, f"{WINDOW.id} b/a.ogg\n", ""),
        ('"$S" silence.ogg', 0, "", "no words were heard\n"),
        ('"$S" no.ogg', 1, "", "error: a rule\n"),
    ],
)
def test_the_words_of_a_file_are_printed(
    door: Path, tmp_path: Path, command: str, code: int, stdout: str, stderr: str
) -> None:
    done = run_script(SCRIPT, command, door, tmp_path, HOME=str(tmp_path))

    assert (done.returncode, done.stdout, done.stderr) == (code, stdout, stderr)
