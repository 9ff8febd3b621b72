"""Daily budget of model calls, by days of UTC."""

from __future__ import annotations

from datetime import date, datetime, timedelta


class DailyBudget:
    """Budget of a day: counts what is spent and says when it is enough; each day by itself."""

    def __init__(self, cap_usd: float = 0.0) -> None:
        """Start an unspent budget; a day may cost `cap_usd`, or any amount for 0.

        Raises:
            ValueError: `cap_usd` is below 0.
        """
        if cap_usd < 0:
            raise ValueError(f"cap_usd {cap_usd} must be >= 0")
        self.cap_usd = cap_usd
        """Most of a day; 0 for no cap."""
        self._day = date.min
        self._spent_usd = 0.0

    @property
    def has_cap(self) -> bool:
        """True if the budget has an upper limit."""
        return self.cap_usd > 0

    def spend(self, cost_usd: float, at: datetime) -> None:
        """Count a cost, at a time in UTC that is not before an earlier one's day."""
        self._spent_usd = self.spent_usd(at) + cost_usd
        self._day = at.date()

    def spent_usd(self, at: datetime) -> float:
        """Cost of the day of `at` so far."""
        return self._spent_usd if at.date() == self._day else 0.0

    def refusal(self, at: datetime) -> str:
        """Reason why no more calls may begin, for a person; empty while calls may begin."""
        so_far_usd = self.spent_usd(at)
        if not self.has_cap or so_far_usd < self.cap_usd:
            return ""
        midnight = datetime.combine(at.date() + timedelta(days=1), datetime.min.time(), at.tzinfo)
        minutes = -(-int((midnight - at).total_seconds()) // 60)
        wait = f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
        return (
            f"today's limit of ${self.cap_usd:,.2f} for language models is used up (${so_far_usd:,.2f} so far). "
            f"It goes on at midnight UTC, in {wait}."
        )
