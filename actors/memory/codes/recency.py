"""Recency's share of a score, from powers that are kept between questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from domain.memory import ranking

DAY_S = 86_400.0
_ROUNDING = 1e-5
"""More than the float32 sum of a score can be too low."""
_FAR = 30.0
"""Powers are made anew when a question is so many times `RECENCY_DAYS` from their reference: float32 has room for more
than twice that."""


@dataclass(frozen=True, slots=True)
class Recency:
    """Recency term of scores: `weight * min(1, decay * since) + rounding`, beside `sim_weight` for the cosine.

    Attributes:
        decay: float32, one for each slot.
    """

    decay: NDArray[np.float32]
    since: float
    weight: float
    sim_weight: float
    rounding: float

    def scores(self, uppers: NDArray[np.float32], slots: NDArray[np.int64] | slice) -> NDArray[np.float32]:
        """Upper bounds of the scores at `slots`, whose cosines are not above `uppers`; both may be minus infinity."""
        scores: NDArray[np.float32] = np.minimum(self.decay[slots] * np.float32(self.since), np.float32(1.0))
        scores *= np.float32(self.weight)
        scores += np.maximum(uppers, np.float32(0.0)) * np.float32(self.sim_weight) + np.float32(self.rounding)
        scores[np.isneginf(uppers)] = -np.inf
        return scores


class RecencyPowers:
    """Cache of `exp(time / RECENCY_DAYS)` for every slot: a question then costs one multiplication a slot."""

    def __init__(self) -> None:
        self._reference = 0.0
        self._decay = np.empty(0, np.float32)

    def at(self, now: float, times: NDArray[np.float64]) -> Recency:
        """How recency comes into scores at `now`.

        Args:
            now: Seconds since the epoch.
            times: Of every slot; those that were known at the last call stand before the new ones.
        """
        span = ranking.RECENCY_DAYS * DAY_S
        if abs(now - self._reference) > _FAR * span:
            self._reference, self._decay = now, np.empty(0, np.float32)
        fresh = times[len(self._decay) :]
        if len(fresh):
            # What is said later than that counts as 1, as it would without the limit.
            exponents = np.minimum((fresh - self._reference) / span, _FAR + 1.0)
            with np.errstate(under="ignore"):
                self._decay = np.concatenate([self._decay, np.exp(exponents).astype(np.float32)])
        since = float(np.exp((self._reference - now) / span))
        return Recency(self._decay, since, ranking.WEIGHT_RECENCY, ranking.WEIGHT_SIM, _ROUNDING)
