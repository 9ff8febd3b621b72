"""The tutorials do what they say: their code is taken off the page as it stands, and run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.prose import ROOT
from tests.docs.tutorial import AstrayError, File, follow, steps

ACTOR = (ROOT / "docs" / "add-an-actor.md").read_text("utf-8")
LAYER = (ROOT / "docs" / "add-a-layer.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("page", [ACTOR, LAYER], ids=["actor", "layer"])
def test_every_command_of_a_tutorial_prints_what_the_page_says(page: str, tmp_path: Path) -> None:
    assert follow(page, tmp_path) > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "line", "broken"),
    [
        (ACTOR, "            beside.replace(self._file)", "            pass"),
        (ACTOR, "                self.after(ANSWER_S, Overdue(request_id=request_id))", "                pass"),
        (LAYER, "        subscribes=True,", "        subscribes=False,"),
        (LAYER, "if words and event.id not in self._known:", "if words:"),
        (LAYER, "    most: Whole = Field(default=5, ge=1, le=50)", "    most: Whole = Field(default=5, le=50)"),
    ],
)
def test_a_line_that_is_broken_leads_the_reader_astray(page: str, line: str, broken: str, tmp_path: Path) -> None:
    assert page.count(line) == 1

    with pytest.raises(AstrayError):
        follow(page.replace(line, broken), tmp_path)


@pytest.mark.parametrize("page", [ACTOR, LAYER], ids=["actor", "layer"])
def test_a_tutorial_has_tests_of_its_own_and_is_read_in_ten_minutes(page: str) -> None:
    files = [step for step in steps(page) if isinstance(step, File)]

    assert any(Path(file.name).name.startswith("test_") for file in files)
    assert len(page.split()) < 2_500


@pytest.mark.parametrize(
    "block", ["```python\nprint()\n```\n", "```console\nls\n```\n", "```sh\nls\n```\n", "```toml\na = 1\n```\n"]
)
def test_a_block_that_nobody_runs_is_refused(block: str) -> None:
    with pytest.raises(AstrayError, match="neither a file nor a command"):
        steps(block)


@pytest.mark.parametrize(
    "said", ["$ .venv/bin/python -c 'print(1)'\n2\n", "$ .venv/bin/python -c 'exit(3)'\n", "$ ls\n"]
)
def test_other_output_a_failure_and_another_program_are_noticed(said: str, tmp_path: Path) -> None:
    with pytest.raises(AstrayError):
        follow(f"```console\n{said}```\n", tmp_path)


def test_what_differs_from_run_to_run_is_left_open_within_its_line(tmp_path: Path) -> None:
    block = "```console\n$ .venv/bin/python -c 'print(\"a 1 b\\nc\")'\n{}```\n"

    assert follow(block.format("a … b\nc\n"), tmp_path) == 1
    with pytest.raises(AstrayError):
        follow(block.format("a …c\n"), tmp_path)
