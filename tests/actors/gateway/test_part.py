from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from actors.gateway.part import gateway_row
from actors.part import Level, Part, Parts
from messages.facts import GATEWAY
from tests.actors.facts.plan import plan_of
from tests.actors.gateway.test_config import SECRETS, table


def part_of(tmp_path: Path, settings: Any, **changed: Any) -> Part | None:
    plan = dataclasses.replace(plan_of(tmp_path, ""), secrets=SECRETS, **changed)
    return gateway_row(lambda _plan: settings)(plan, Parts(plan, ()))


def test_the_gateway_starts_with_the_agent_and_ends_nothing(tmp_path: Path) -> None:
    part = part_of(tmp_path, table())

    assert part is not None
    assert (part.spec.kind, part.spec.core, part.spec.is_eager, part.spec.idle_s) == (GATEWAY.kind, False, True, None)
    assert part.unusable == ""


def test_one_turn_of_a_command_line_has_no_gateway(tmp_path: Path) -> None:
    assert part_of(tmp_path, table(), caller_folder=tmp_path) is None


@pytest.mark.req("S2-94", "X-91")
def test_what_is_wrong_is_said_at_the_start_and_by_the_doctor(tmp_path: Path) -> None:
    part = part_of(tmp_path, table(openai_base_url=""))

    assert part is not None
    assert "facts.openai_base_url" in part.unusable
    (finding,) = part.checks[0]()
    assert (finding.level, finding.detail) == (Level.FAIL, part.unusable)


def test_the_doctor_says_where_it_is_and_shows_no_key(tmp_path: Path) -> None:
    part = part_of(tmp_path, table(keys={"a/": "ALICE_API_KEY"}))

    assert part is not None
    (finding,) = part.checks[0]()
    assert finding.level is Level.OK
    assert "http://127.0.0.1:8100 in front of http://127.0.0.1:1/v1; keys: 1" in finding.detail
    assert SECRETS["ALICE_API_KEY"] not in finding.detail
