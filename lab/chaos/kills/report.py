"""Report of a kill campaign: counts, ratio, and every instant of a kill. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lab.chaos.kills.ledger import Tally
from lab.chaos.kills.rows import EARLY_S, Trap

EARLY_TRAPS = (Trap.START.value, Trap.ONLINE.value)
_DETAILS = 5
"""Number of faults of each kind named by a report."""
_COUNTS = (
    *("said", "answered", "given_up", "taken_back", "excused", "deleted", "edited", "files"),
    *("gateway_said", "gateway_answered", "begun_anew", "reminders", "commands"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """Single SIGKILL."""

    life: int
    """Number of the life in its batch, from 1."""
    trap: str
    """Trap behind the kill."""
    at_s: float
    """Seconds after the start of the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchReport:
    """A data root, its kills and its faults."""

    name: str
    """Seed of the batch: the campaign's and a number."""
    tally: Tally
    kills: tuple[Kill, ...] = ()
    starts_s: tuple[float, ...] = ()
    """From each start in peace to being online."""
    term_s: tuple[float, ...] = ()
    """Seconds taken by each SIGTERM."""
    kept_in: str = ""
    """Folder with settings, data and stderr of the batch; empty if removed."""
    rows: tuple[int, ...] = ()
    seconds: float = 0.0
    cpu_s: float = 0.0
    """CPU of the agents, with a share of the campaign's CPU."""
    machine: str = ""
    """Machine and time at the end."""
    program: str = ""
    """Version of the program."""

    @property
    def seed(self) -> str:
        """Seed of the campaign."""
        return self.name.rpartition("/")[0]

    @property
    def early(self) -> int:
        """Kills within a second after a start."""
        return sum(each.trap in EARLY_TRAPS or each.at_s <= EARLY_S for each in self.kills)


@dataclass(frozen=True, slots=True, kw_only=True)
class KillReport:
    """Campaign, or the sum of several."""

    batches: tuple[BatchReport, ...]

    @property
    def seed(self) -> str:
        """Seeds of the batches."""
        return ", ".join(dict.fromkeys(each.seed for each in self.batches))

    @property
    def programs(self) -> dict[str, int]:
        """Version of the program -> its batches."""
        return dict(Counter(each.program for each in self.batches))

    @property
    def rows(self) -> tuple[int, ...]:
        """Rows of the matrix in any batch."""
        return tuple(sorted({row for each in self.batches for row in each.rows}))

    @property
    def seconds(self) -> float:
        """Sum of the batches' seconds; several batches run at a time."""
        return sum(each.seconds for each in self.batches)

    @property
    def cpu_s(self) -> float:
        """CPU of all batches."""
        return sum(each.cpu_s for each in self.batches)

    @property
    def early(self) -> int:
        """Kills within a second after a start."""
        return sum(each.early for each in self.batches)

    @property
    def machines(self) -> list[str]:
        """Machine and time of the first and of the last batch."""
        named = [each.machine for each in self.batches if each.machine]
        return list(dict.fromkeys((*named[:1], *named[-1:])))

    @property
    def total(self) -> Tally:
        """Sum over the batches."""
        total = Tally()
        for batch in self.batches:
            total.add(batch.tally)
        return total

    @property
    def kills(self) -> tuple[Kill, ...]:
        """Kills of all batches."""
        return tuple(kill for batch in self.batches for kill in batch.kills)

    @property
    def is_sound(self) -> bool:
        """True if no message was lost, doubled, altered or left."""
        return self.total.is_sound

    @property
    def exactly_once(self) -> float:
        """Share of messages answered, given up, taken back or excused, exactly once."""
        total = self.total
        settled = total.answered + total.given_up + total.taken_back + total.excused + total.deleted
        not_once = total.not_logged + total.logged_twice + total.logged_altered
        return max(0, min(settled, total.said - not_once)) / total.said if total.said else 1.0

    def as_dict(self) -> dict[str, object]:
        """Report in JSON's form."""
        kills, total = self.kills, self.total
        starts_s = sorted(each for batch in self.batches for each in batch.starts_s)
        return {
            "is_sound": self.is_sound,
            "programs": self.programs,
            "seed": self.seed,
            "rows": list(self.rows),
            "kills": len(kills),
            "early": self.early,
            **{name: getattr(total, name) for name in _COUNTS},
            "wrong": total.wrong(),
            "exactly_once": self.exactly_once,
            "by_trap": dict(sorted(Counter(kill.trap for kill in kills).items())),
            "batches": len(self.batches),
            "unsound": [
                {"name": each.name, "wrong": _wrong(each.tally), "details": _details(each), "kept_in": each.kept_in}
                for each in self.batches
                if not each.tally.is_sound
            ],
            "machines": self.machines,
            "start_s": round(starts_s[len(starts_s) // 2], 2) if starts_s else None,
            "slowest_term_s": round(max((each for batch in self.batches for each in batch.term_s), default=0.0), 2),
            "seconds": round(self.seconds, 1),
            "cpu_s": round(self.cpu_s, 1),
        }

    def lines(self) -> list[str]:
        """The report in words."""
        total, kills = self.total, self.kills
        wrong = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in _wrong(total).items())
        traps = ", ".join(f"{count} at {trap}" for trap, count in sorted(Counter(each.trap for each in kills).items()))
        lines = [
            f"{len(kills)} kills ({traps}), seed {self.seed}, rows {','.join(map(str, self.rows))}: "
            f"{self.early} within a second after a start; {self.cpu_s / max(1, len(kills)):.2f} s CPU a kill",
            f"{total.said} messages: {total.answered} answered, {total.given_up} given up by a notice, "
            f"{total.taken_back} taken back, {total.deleted} deleted, {total.excused} unreadable; "
            f"{total.edited} edited, {total.files} with a file",
            f"{total.begun_anew} begun anew, {total.reminders} reminders, {total.commands} commands, "
            f"{total.gateway_answered} of {total.gateway_said} answered by the gateway",
            f"programs: {', '.join(f'{name} ({count} batches)' for name, count in self.programs.items())}",
            f"exactly once: {self.exactly_once:.2%}; {wrong or 'nothing lost, doubled, altered or left'}",
        ]
        for batch in self.batches:
            if not batch.tally.is_sound:
                number = batch.name.rpartition("/")[2]
                again = f"batch {batch.name} (again: --seed {batch.seed} --batch {number}) {batch.kept_in}"
                lines += [again.rstrip(), *(f"  {detail}" for detail in _details(batch))]
        return lines


def _wrong(tally: Tally) -> dict[str, int]:
    """Nonzero counts required to be zero."""
    return {what: count for what, count in tally.wrong().items() if count}


def _details(batch: BatchReport) -> list[str]:
    """The first few details of each kind."""
    seen: Counter[str] = Counter()
    first: list[str] = []
    for detail in batch.tally.details:
        kind = detail.partition(":")[0]
        seen[kind] += 1
        if seen[kind] <= _DETAILS:
            first.append(detail)
    return first
