"""`agent usage`: sums of the ledger, without a running agent."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from actors.ledger.file import LedgerFiles
from messages.model import CallKind, CallOutcome, CallSpent
from tests.actors.cli.command import run


def ledger_in(data: Path) -> None:
    files = LedgerFiles(data / "usage")
    for day, model, tokens in ((30, "a", 1_000), (31, "a", 200), (31, "b", 30)):
        files.append(
            CallSpent(
                at=datetime(2026, 3, day, 12, tzinfo=UTC),
                kind=CallKind.MODEL,
                owner="discord-channel/1",
                call_id=f"{day}{model}",
                attempt=1,
                model=model,
                prompt_tokens=tokens,
                completion_tokens=4,
                cost_usd=0.25,
                outcome=CallOutcome.ANSWERED,
            )
        )


def test_calls_are_summed_within_the_days_that_were_asked_for(tmp_path: Path) -> None:
    ledger_in(tmp_path / "data")
    done = run(
        *("agent", "usage", "--by", "model", "--since", "2026-03-31", "--until", "2026-04-01", "--json"),
        *("--data", str(tmp_path / "data")),
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert {key: (total["calls"], total["prompt_tokens"]) for key, total in said["sums"].items()} == {
        "a": (1, 200),
        "b": (1, 30),
    }


def test_the_table_has_a_line_a_day_and_damage_is_told(tmp_path: Path) -> None:
    ledger_in(tmp_path / "data")
    with (tmp_path / "data" / "usage" / "2026-03.jsonl").open("a") as file:
        file.write("no entry\n")
    done = run("agent", "usage", "--data", str(tmp_path / "data"), cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert [line.split()[:2] for line in done.stdout.splitlines()[1:]] == [["2026-03-30", "1"], ["2026-03-31", "2"]]
    assert "1 invalid lines are left out of the sums: 2026-03.jsonl" in done.stderr


def test_days_in_the_wrong_order_are_refused_by_name(tmp_path: Path) -> None:
    done = run("agent", "usage", "--since", "2026-04-01", "--until", "2026-03-01", cwd=tmp_path)

    assert done.returncode == 1
    assert "--since 2026-04-01 must be before --until 2026-03-01" in done.stderr
