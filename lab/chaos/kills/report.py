"""Report of a kill campaign: counts, ratio, and every instant at which an agent was killed. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lab.chaos.kills.ledger import Tally

_DETAILS = 5
"""Of each kind that a report names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """One SIGKILL."""

    batch: str
    life: int
    """From 1, in its batch."""
    trap: str
    """Trap that the kill waited for."""
    at_s: float
    """Seconds after the start of the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchReport:
    """A data root and its faults."""

    name: str
    """Seed of the batch: the campaign's and a number."""
    wrong: dict[str, int]
    """Counts that are not zero and should be."""
    details: tuple[str, ...]
    kept_in: str = ""
    """Folder with its settings, data and stderr; empty if they were removed."""

    @property
    def is_sound(self) -> bool:
        """True without faults."""
        return not self.wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class KillReport:
    """One campaign."""

    seed: str
    rows: tuple[int, ...]
    kills: int
    said: int
    answered: int
    """Exactly once and whole."""
    given_up: int
    """One notice instead of an answer, such as after a second interruption."""
    taken_back: int
    """By people, who began anew before the answer."""
    excused: int
    """Could not be read by any program on the library that the bot uses."""
    begun_anew: int
    """Number of new conversations begun by people."""
    reminders: int
    commands: int
    wrong: dict[str, int]
    """Every count that must be zero."""
    exactly_once: float
    """Share of what was said that was answered, given up, taken back or excused, exactly once."""
    by_trap: dict[str, int]
    batches: tuple[BatchReport, ...]
    at: tuple[Kill, ...]
    start_s: float | None
    """Median of the times from a start in peace to being online."""
    slowest_term_s: float | None
    seconds: float
    seconds_a_kill: float

    @property
    def is_sound(self) -> bool:
        """True if no message was lost, doubled, altered or left."""
        return not any(self.wrong.values())

    def as_dict(self) -> dict[str, object]:
        """The report as JSON has it."""
        return {"is_sound": self.is_sound, **asdict(self)}

    def lines(self) -> list[str]:
        """The report in words."""
        wrong = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in self.wrong.items() if count)
        traps = ", ".join(f"{count} at {trap}" for trap, count in self.by_trap.items())
        rows = ",".join(map(str, self.rows))
        lines = [
            f"{self.kills} kills ({traps}), seed {self.seed}, rows {rows}: {self.seconds:.0f} s, "
            f"{self.seconds_a_kill:.1f} s a kill",
            f"{self.said} messages: {self.answered} answered, {self.given_up} given up by a notice, {self.taken_back} "
            f"taken back, {self.excused} unreadable; {self.begun_anew} begun anew, {self.reminders} reminders, "
            f"{self.commands} commands",
            f"exactly once: {self.exactly_once:.2%}; {wrong or 'nothing lost, doubled, altered or left'}",
        ]
        for batch in self.batches:
            if not batch.is_sound:
                number = batch.name.rpartition("/")[2]
                lines.append(
                    f"batch {batch.name} (again: --seed {self.seed} --batch {number}) {batch.kept_in}".rstrip()
                )
                lines += [f"  {detail}" for detail in batch.details]
        return lines


def report(
    seed: str,
    rows: Sequence[int],
    tallies: Sequence[tuple[str, Tally, str]],
    kills: Sequence[Kill],
    *,
    starts_s: Sequence[float] = (),
    terms_s: Sequence[float] = (),
    seconds: float,
) -> KillReport:
    """The report of `tallies`, each with its batch's name and the folder where the batch's files are kept."""
    total = Tally()
    for _, tally, _ in tallies:
        total.add(tally)
    settled = total.answered + total.given_up + total.taken_back + total.excused
    not_once = total.not_logged + total.logged_twice + total.logged_altered
    return KillReport(
        seed=seed,
        rows=tuple(sorted(rows)),
        kills=len(kills),
        said=total.said,
        answered=total.answered,
        given_up=total.given_up,
        taken_back=total.taken_back,
        excused=total.excused,
        begun_anew=total.begun_anew,
        reminders=total.reminders,
        commands=total.commands,
        wrong=total.wrong(),
        exactly_once=max(0, min(settled, total.said - not_once)) / total.said if total.said else 1.0,
        by_trap=dict(sorted(Counter(kill.trap for kill in kills).items())),
        batches=tuple(
            BatchReport(
                name=name,
                wrong={what: count for what, count in tally.wrong().items() if count},
                details=_first_of_each_kind(tally.details),
                kept_in=kept_in,
            )
            for name, tally, kept_in in tallies
        ),
        at=tuple(kills),
        start_s=round(sorted(starts_s)[len(starts_s) // 2], 2) if starts_s else None,
        slowest_term_s=round(max(terms_s), 2) if terms_s else None,
        seconds=round(seconds, 1),
        seconds_a_kill=round(seconds / len(kills), 2) if kills else 0.0,
    )


def _first_of_each_kind(details: Sequence[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    first: list[str] = []
    for detail in details:
        kind = detail.partition(":")[0]
        seen[kind] += 1
        if seen[kind] <= _DETAILS:
            first.append(detail)
    return tuple(first)
