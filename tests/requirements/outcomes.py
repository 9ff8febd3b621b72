"""Outcomes of marked tests in one run: a requirement whose tests were all skipped is held by nothing here."""

from __future__ import annotations

from collections.abc import Mapping

from tests.requirements.chart import Holder

FOLDER = "tests/"


class Outcomes:
    """Record of which tests ran, and which were only skipped."""

    def __init__(self) -> None:
        self._ran: dict[tuple[str, str], bool] = {}
        """(file, test) -> whether any case of it ran to its end."""

    def note(self, node_id: str, when: str, outcome: str) -> None:
        """Take in how one phase of one case of a test went."""
        path, *_, case = node_id.split("::")
        test = (path.removeprefix(FOLDER), case.partition("[")[0])
        has_run = when == "call" and outcome != "skipped"
        self._ran[test] = self._ran.get(test, False) or has_run or outcome == "failed"

    @property
    def skipped(self) -> bool:
        """Whether any test did no more than to be skipped."""
        return not all(self._ran.values())

    def unheld(self, held_by: Mapping[str, tuple[Holder, ...]]) -> list[str]:
        """Ids of which every test came up, and none of them did more than to be skipped."""
        return sorted(
            row_id
            for row_id, holders in held_by.items()
            if all(self._ran.get((holder.file, holder.name)) is False for holder in holders)
        )
