"""Each profile's phases and verdicts, with what comes of the phases given; the crowd's tests play them for real."""

from __future__ import annotations

import dataclasses
import tempfile
import tomllib
from pathlib import Path

import pytest

from actors.parts import settings_tables
from actors.settings.load import load
from lab.commands.agent_load import PROFILES as OFFERED
from lab.load.meter import Usage
from lab.load.plan import Phase
from lab.load.profiles.profile import Place, at_most
from lab.load.profiles.table import PROFILES
from lab.load.profiles.traffic import BASH, BURST, LAYERS, NOISY, RAMP, SHARE, STEADY, highest_rate
from lab.load.profiles.windows import CHURN, KNOWN, LONG, slope_of
from lab.load.report import FLOOR, Verdict
from lab.load.settings import agent_settings
from lab.load.stage import Addresses
from tests.lab.load.profiles.drive import PLAN, FakeDrive

FIRST = 8
QUICK = (0.52, 1.0)


def quick(_: Phase) -> tuple[float, float]:
    return QUICK


def holds_of(verdicts: tuple[Verdict, ...]) -> list[bool]:
    return [each.holds for each in verdicts]


def test_the_command_offers_every_profile_and_no_other() -> None:
    assert list(OFFERED) == list(PROFILES)
    assert [name for name, each in PROFILES.items() if each.name != name or not each.help] == []


def test_the_settings_of_each_are_an_agents(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name in PROFILES:
        with subtests.test(name=name):
            folder = Path(tempfile.mkdtemp(dir=tmp_path))
            addresses = Addresses(api_base="http://127.0.0.1:1/api", gateway_url="ws://127.0.0.1:1/", bot_token="t")
            model_base = "http://127.0.0.1:2/v1"
            more = PROFILES[name].settings(PLAN, Place(folder=folder, model_base=model_base))
            config = folder / "agent.toml"
            config.write_text(agent_settings(addresses, model_base, PLAN, more))

            settings = load(config, environ={}, overrides={}, tables=settings_tables())

            assert settings.discord.reactions
            assert settings.model.api_base == model_base
            assert settings.model.concurrency >= PLAN.threads
            assert bool(tomllib.loads(more)) == (name in ("long", "layers", "churn"))


def test_a_limit_holds_up_to_itself_and_what_is_not_known_fails_nobody() -> None:
    assert at_most("x", 1.2, 1.2) == Verdict(name="x", value=1.2, wanted="<= 1.2", holds=True)
    assert not at_most("x", 1.21, 1.2).holds
    assert at_most("x", None, 1.2).holds


def test_a_burst_is_all_threads_at_once_behind_those_of_the_warm_up() -> None:
    drive = FakeDrive(quick)

    assert BURST.drive(drive, FIRST) == ()
    assert drive.phases == [Phase(name="burst", first=FIRST, threads=10, turns=3)]
    assert BURST.threads(PLAN) == 10


def test_steady_arrivals_fail_when_threads_and_not_the_bot_bounded_the_rate(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, bool]] = [(0, True), (1, True), (2, False)]
    for late, holds in cases:
        with subtests.test(late=late, holds=holds):
            drive = FakeDrive(quick)
            drive.late = late

            assert holds_of(STEADY.drive(drive, FIRST)) == [holds]
            assert (drive.phases[0].rate, drive.phases[0].seconds) == (20.0, 8.0)


@pytest.mark.parametrize(("beside_s", "holds"), [(0.60, True), (0.62, True), (0.63, False)])
def test_a_flood_may_lengthen_the_others_replies_by_a_fifth(beside_s: float, holds: bool) -> None:
    drive = FakeDrive(lambda phase: (beside_s if phase.flood else 0.52, 1.0))

    verdicts = NOISY.drive(drive, FIRST)

    assert verdicts[0].holds is holds
    assert [phase.name for phase in drive.phases] == ["flood", "quiet", "quiet", "flood"]
    assert NOISY.threads(PLAN) == 11
    assert sum(phase.seconds for phase in drive.phases) == 8.0


@pytest.mark.parametrize(("ratio", "left", "expected"), [(2.0, 0, [True, True]), (2.1, 1, [False, False])])
def test_windows_that_come_back_may_cost_twice_and_must_have_been_away(
    ratio: float, left: int, expected: list[bool]
) -> None:
    drive = FakeDrive(lambda phase: (0.52, 1.0 if phase.name == "round 1" else ratio))
    drive.windows_left = left

    assert holds_of(LONG.drive(drive, FIRST)) == expected
    assert [(phase.name, phase.turns) for phase in drive.phases] == [(f"round {number}", 1) for number in (1, 2, 3)]


def test_nobody_asks_the_floor_for_its_windows() -> None:
    drive = FakeDrive(quick, dataclasses.replace(PLAN, subject=FLOOR))

    assert holds_of(LONG.drive(drive, FIRST)) == [True]


@pytest.mark.parametrize("limit", [3.1, 20.0, 33.0, 170.0])
def test_the_highest_rate_is_found_from_below_and_from_above(limit: float) -> None:
    tried: list[float] = []

    def bears(rate: float) -> bool:
        tried.append(rate)
        return rate <= limit

    highest = highest_rate(bears, 20.0)

    assert limit * 0.93 < highest <= limit
    assert len(tried) < 14


def test_where_no_rate_is_borne_the_search_ends() -> None:
    tried: list[float] = []

    assert highest_rate(lambda rate: bool(tried.append(rate)), 20.0) == 0.0  # type: ignore[func-returns-value]
    assert len(tried) < 8


@pytest.mark.parametrize(("half_s", "holds"), [(0.60, True), (0.61, False)])
def test_a_ramp_tells_the_highest_rate_and_how_late_answers_are_at_half_of_it(half_s: float, holds: bool) -> None:
    def outcome(phase: Phase) -> tuple[float, float]:
        return (half_s if phase.name.startswith("half") else 0.7 if phase.rate <= 50.0 else 0.9), 1.0

    drive = FakeDrive(outcome)

    peak, half, borne = RAMP.drive(drive, FIRST)

    assert peak.value is not None
    assert 46 < peak.value <= 50
    assert half.value == pytest.approx((half_s - 0.5) * 1000)
    assert half.holds is holds
    assert borne.holds
    assert drive.phases[-1].rate == pytest.approx(peak.value / 2, rel=0.001)
    assert min(phase.rate * phase.seconds for phase in drive.phases) >= 60


def test_a_bot_that_bears_no_rate_fails() -> None:
    assert holds_of(RAMP.drive(FakeDrive(lambda _: (2.0, 1.0)), FIRST)) == [True, True, False]


def test_each_command_takes_one_more_call_of_the_model(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, list[bool]]] = [(0, [True, True]), (1, [True, False]), (-1, [True, False])]
    for further, expected in cases:
        with subtests.test(further=further, expected=expected):
            drive = FakeDrive(quick)
            drive.further_calls = further

            assert holds_of(BASH.drive(drive, FIRST)) == expected
            assert drive.phases[0].command_share == SHARE


def test_layers_are_switched_on_for_a_burst(tmp_path: Path) -> None:
    text = LAYERS.settings(PLAN, Place(folder=tmp_path, model_base="http://127.0.0.1:2/v1"))

    assert tomllib.loads(text)["layers"] == dict.fromkeys(("curated", "objects", "workspace", "facts"), True)
    assert LAYERS.drive is BURST.drive


def test_memory_at_churn_is_flat_up_to_two_kib_for_each_new_window(subtests: pytest.Subtests) -> None:
    cases: list[tuple[float, bool]] = [(0.0, True), (1.9, True), (2.1, False)]
    for kib_per_window, holds in cases:
        with subtests.test(kib_per_window=kib_per_window, holds=holds):
            drive = FakeDrive(quick)
            per_s = kib_per_window * PLAN.rate / 1024
            drive.anon_mb = [300.0] * 5 + [310.0 + per_s * number / 20 for number in range(16)]
            drive.file_mb = 4.0 * PLAN.rate / 1024

            slope, resident, per_minute = CHURN.drive(drive, FIRST)

            assert slope.value == pytest.approx(kib_per_window, abs=0.01)
            assert resident.value == pytest.approx(kib_per_window + 4.0, abs=0.01)
            assert per_minute.value == pytest.approx(per_s * 60, abs=0.01)
            assert slope.holds is holds
            assert drive.phases[0].is_fresh
            assert (CHURN.watches_memory, CHURN.threads(PLAN)) == (True, 0)


def test_a_slope_is_that_of_the_line_of_least_squares() -> None:
    assert slope_of([(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) == pytest.approx(2.0)
    assert slope_of([(0.0, 1.0), (1.0, 0.0), (2.0, 1.0)]) == pytest.approx(0.0)
    assert slope_of([(1.0, 1.0), (1.0, 2.0)]) is None
    assert slope_of([]) is None


def test_memory_with_known_windows_is_what_it_is_when_nothing_works_or_grows_any_more(
    subtests: pytest.Subtests,
) -> None:
    cases: list[tuple[list[Usage | None], float | None]] = [
        ([Usage(1.0, 100.0), Usage(9.0, 100.0), Usage(9.1, 120.0), Usage(9.2, 120.5, anon_mb=90)], 120.5),
        ([Usage(1.0, 100.0), Usage(1.1, 100.0, anon_mb=90.0)], 100.0),
        ([None], None),
    ]
    for usages, settled_mb in cases:
        with subtests.test(usages=usages, settled_mb=settled_mb):
            drive = FakeDrive(quick)
            drive.usages = usages

            resident, without_files = KNOWN.drive(drive, FIRST)

            assert resident.value == settled_mb
            assert without_files.value == (None if settled_mb is None else 90.0)
            assert drive.phases == [Phase(name="known", first=FIRST, threads=10, turns=3)]
