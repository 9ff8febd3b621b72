"""The script of `curated-memory`, as the agent's tool runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel import Actor
from actors.part import SHIPPED_SKILLS
from messages.base import Message
from messages.curated import AddFact, FactWritten, MoveFact
from messages.curated_view import FactsRecalled, RecallFacts
from messages.socket import Refused
from tests.skills.sandboxed import door_to, run_script

SCRIPT = SHIPPED_SKILLS / "curated-memory" / "scripts" / "curated.py"


class FakeCurated(Actor):
    """Writes whatever it is asked to, but for nonsense; recalls by a code that stands in the question."""

    def handle(self, message: AddFact | MoveFact | RecallFacts) -> None:
        self.tell(message.reply_to, self._answer(message))

    def _answer(self, message: AddFact | MoveFact | RecallFacts) -> Message:
        if isinstance(message, RecallFacts):
            return FactsRecalled(request_id=message.request_id, code=message.query, reason="so it is")
        if isinstance(message, MoveFact):
            text = f"[{message.title}]({message.topic}) {message.gist}"
        elif message.text == "nonsense":
            return Refused(request_id=message.request_id, reason="denied: nonsense")
        else:
            text = f"{message.text} ({message.section or 'no section'})"
        return FactWritten(request_id=message.request_id, scope=message.scope, done="added", path="/m/M.md", text=text)


@pytest.fixture
def adding() -> Iterator[Path]:
    with door_to(FakeCurated, "curated.add", AddFact) as path:
        yield path


@pytest.mark.req("X-63")
def test_a_fact_is_added_and_what_stands_there_is_printed(adding: Path, tmp_path: Path) -> None:
    done = run_script(SCRIPT, "$S add global 'tea at four' --section Habits", adding, tmp_path)
    assert (done.returncode, done.stdout) == (0, "added: tea at four (Habits)\nin /m/M.md\n")


def test_a_refusal_is_told_with_its_code(adding: Path, tmp_path: Path) -> None:
    done = run_script(SCRIPT, "$S add global nonsense", adding, tmp_path)
    assert (done.returncode, done.stderr) == (1, "error: denied: nonsense\n")


@pytest.mark.parametrize("command", ["add both x", "add global", "move global x --topic t.md", "forget global x", ""])
def test_what_cannot_be_asked_is_wrong_usage(adding: Path, tmp_path: Path, command: str) -> None:
    assert run_script(SCRIPT, f"$S {command}", adding, tmp_path).returncode == 2


def test_without_an_agent_it_says_so(tmp_path: Path) -> None:
    assert run_script(SCRIPT, "$S add global x", None, tmp_path).returncode == 3


def test_a_pointer_is_asked_for_with_all_its_parts(tmp_path: Path) -> None:
    with door_to(FakeCurated, "curated.move", MoveFact) as door:
        done = run_script(
            SCRIPT, "$S move project x --topic build.md --title Build --gist 'how it builds'", door, tmp_path
        )
    assert done.stdout == "added: [Build](build.md) how it builds\nin /m/M.md\n"


def test_a_recall_prints_its_code_first(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, int]] = [("ok", 0), ("no_match", 0), ("unavailable", 0), ("denied", 1)]
    for number, (code, exit_code) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(code=code, exit_code=exit_code):
            with door_to(FakeCurated, "curated.recall", RecallFacts) as door:
                done = run_script(SCRIPT, f"$S recall {code}", door, place)
            assert (done.returncode, done.stdout) == (exit_code, f"{code}: so it is\n")
