"""The page on troubleshooting quotes what the program prints, and says for each symptom where to look."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from lab.commands import agent
from lab.playground.server import PlaygroundServer
from tests.docs.commands import named
from tests.docs.prose import ROOT
from tests.docs.sayings import HEAD, is_printed, quotations, texts
from tests.e2e.stage import Stage
from tests.patience import eventually

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
SYMPTOMS = {part.partition("\n")[0]: part.partition("\n")[2] for part in PAGE.split("\n## ")[1:]}

LOOKS = re.findall(r"^```console\n\$ bin/agent (.+)\n((?:.+\n)+?)```$", PAGE, re.MULTILINE)


@pytest.mark.slow
def test_what_a_look_prints_when_all_is_well_is_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def printed(command: str) -> str:
        return CliRunner().invoke(agent, shlex.split(command), env={"AGENT_HOME": str(tmp_path / "data")}).output

    monkeypatch.chdir(tmp_path)
    assert len(LOOKS) == PAGE.count("```console\n") > 4
    with PlaygroundServer() as server:
        stage = Stage(server, tmp_path / "data")
        try:
            stage.ask("The spare key is under the mat")
            eventually(lambda: "turns 2, embedded 2, pending 0," in printed("status"))
            for command, shown in LOOKS:
                lines = iter((text := printed(command)).splitlines())
                assert [line for line in shown.splitlines() if not any(_fits(line, each) for each in lines)] == [], text
        finally:
            stage.stop()


def _fits(shown: str, printed: str) -> bool:
    """Whether a printed line is the one on the page, in which `…` stands for anything."""
    return re.fullmatch(".*".join(map(re.escape, shown.rstrip().split("…"))), printed.rstrip()) is not None


def test_every_sentence_that_is_quoted_is_one_of_the_programs() -> None:
    wrong = [f"{line}: {quotation}" for line, quotation in quotations(PAGE) if not is_printed(quotation)]

    assert wrong == []
    assert len(list(quotations(PAGE))) > 120


def test_no_sentence_is_quoted_twice() -> None:
    quoted = [quotation for _, quotation in quotations(PAGE)]

    assert sorted({quotation for quotation in quoted if quoted.count(quotation) > 1}) == []


def test_every_symptom_is_in_the_list_says_where_to_look_and_what_stands_there(subtests: pytest.Subtests) -> None:
    for symptom in SYMPTOMS:
        with subtests.test(symptom=symptom):
            text = SYMPTOMS[symptom]
            place = re.sub(r"[^\w -]", "", symptom.lower()).replace(" ", "-")

            assert f"[{symptom}](#{place})" in PAGE.partition("\n## ")[0]
            assert list(named(text)) or "stderr" in text
            assert HEAD in text


def test_there_is_a_row_with_cause_and_remedy_for_each_quotation() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(HEAD)]

    assert [row for row in rows if len(re.findall(r"(?<=\| )[^|]*\S(?= \|)", row)) != 3] == []


def test_a_sentence_is_looked_for_in_one_text_with_whatever_is_put_in(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, bool]] = [
        ("dead letter: … to …: …", True),
        ("data root …: another agent uses it (process …", True),
        ("open its new address, in observer.json", True),
        ("dead letter: … for …: …", False),
        ("data root …: another agent has it", False),
        ("Sayings: all texts that the program can print", False),
    ]
    for quotation, is_one in cases:
        with subtests.test(quotation=quotation, is_one=is_one):
            assert is_printed(quotation) is is_one


def test_what_says_next_to_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="'… is …'"):
        is_printed("… is …")


def test_docstrings_and_comments_are_not_printed() -> None:
    assert len(texts()) > 5_000
    assert not is_printed("Container of actors, made once by the process")


def test_quotations_are_those_of_tables_that_say_so() -> None:
    page = "| it says | cause |\n|---|---|\n| `one …`, by `bin/agent doctor` | `two` |\n\n| a | b |\n|---|---|\n| `three` | |\n"

    assert list(quotations(page)) == [(3, "one …")]
