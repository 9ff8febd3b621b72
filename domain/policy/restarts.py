"""Restart intensity and backoff of crashed actors, by the rules of OTP's supervisors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """Limit of crashes, and the consequences beyond.

    Source:
        OTP's intensity and period; exponential backoff with jitter as Pekko's restartWithBackoff.
    """

    intensity: int = 5
    """Crashes within `window_s` answered with a restart; the next crash is too many."""
    window_s: float = 60.0
    min_backoff_s: float = 0.1
    max_backoff_s: float = 5.0
    jitter: float = 0.2
    """Greatest share added to a wait, so neighbours do not come back in step."""
    max_attempts: int = 3
    """Number of failures after which a message is quarantined."""
    suspend_s: float = 30.0
    """Pause of an actor that may not end the process, after too many crashes."""

    def __post_init__(self) -> None:
        """Refuse values that no supervisor could keep to."""
        if self.intensity < 0 or self.max_attempts < 1:
            raise ValueError(f"intensity {self.intensity} must be >= 0 and max_attempts {self.max_attempts} >= 1")
        if not 0 <= self.min_backoff_s <= self.max_backoff_s:
            raise ValueError(f"min_backoff_s {self.min_backoff_s} must lie in [0, max_backoff_s {self.max_backoff_s}]")
        if self.window_s <= 0 or self.suspend_s <= 0 or self.jitter < 0:
            raise ValueError(
                f"window_s {self.window_s} and suspend_s {self.suspend_s} must be > 0, jitter {self.jitter} >= 0"
            )


def recent(crashes: tuple[float, ...], now: float, policy: RestartPolicy) -> tuple[float, ...]:
    """Crashes that still count: crashes less than `policy.window_s` old."""
    return tuple(at for at in crashes if now - at < policy.window_s)


def may_restart(crashes: tuple[float, ...], policy: RestartPolicy) -> bool:
    """True if an actor with the recent crashes may start again."""
    return len(crashes) <= policy.intensity


def backoff_s(crash_count: int, policy: RestartPolicy, chance: float) -> float:
    """Seconds to wait before restart number `crash_count`.

    Args:
        crash_count: Recent crashes including this one, >= 1.
        policy: The bounds.
        chance: In [0, 1); picks the jitter.
    """
    doublings = min(crash_count - 1, 32)
    return float(min(policy.max_backoff_s, policy.min_backoff_s * 2**doublings) * (1 + policy.jitter * chance))
