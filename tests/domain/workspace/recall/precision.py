"""Precision of recall: how often it speaks on everyday messages, finds the right section, and keeps still otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from domain.workspace.recall.block import fit_entries, recall_block
from domain.workspace.recall.search import RecallIndex, recall_entries
from lab.bench.measure import Figures
from tests.domain.workspace.recall.messages import TODAY, Question, Set

RECALL_CHARS = 2_000
GO_ON_SHARE = 13 / 40
"""Of the messages on which the layer was designed; for these it speaks on purpose."""


def precision(its: Set) -> Figures:
    """The figures of all messages."""
    figures = _everyday(its)
    for name, tuned in (("held", False), ("tuned", True)):
        question = [each for each in its.messages.asked if each.tuned is tuned]
        foreign = [each.text for each in its.messages.foreign if each.tuned is tuned]
        quiet = [_is_silent(text, index) for text in foreign for index in its.indexes.values()]
        others = [
            _is_silent(each.text, index)
            for each in question
            for name, index in its.indexes.items()
            if _is_foreign(each, name)
        ]
        figures |= {
            f"{name}_asked": len(question),
            f"{name}_wrong": fmean(not _is_right(each, its.indexes[each.workspace]) for each in question),
            f"{name}_first": fmean(_is_right(each, its.indexes[each.workspace], 1) for each in question),
            f"{name}_chars": fmean(len(block_of(each.text, its.indexes[each.workspace])) for each in question),
            f"{name}_foreign": len(quiet),
            f"{name}_noise": 1 - fmean(quiet),
            f"{name}_silent_elsewhere": fmean(others),
        }
    return figures


def block_of(text: str, index: RecallIndex) -> str:
    """Block beside a message."""
    return recall_block(recall_entries(text, index, today=TODAY, budget_chars=RECALL_CHARS), RECALL_CHARS)


def _everyday(its: Set) -> Figures:
    blocks = _blocks(its, its.messages.everyday)
    state = _blocks(its, its.messages.go_on)
    figures = {
        "everyday": len(blocks),
        "everyday_not_silent": fmean(map(bool, blocks)),
        "everyday_chars": fmean(map(len, blocks)),
        "go_on": len(state),
        "go_on_silent": 1 - fmean(map(bool, state)),
        "go_on_chars": fmean(map(len, state)),
    }
    figures["mixed_not_silent"] = _mix_parts(figures["everyday_not_silent"], 1 - figures["go_on_silent"])
    figures["mixed_chars"] = _mix_parts(figures["everyday_chars"], figures["go_on_chars"])
    return figures


def _mix_parts(everyday: float, go_on: float) -> float:
    """Weighted mean of everyday messages and go-on messages."""
    return everyday * (1 - GO_ON_SHARE) + go_on * GO_ON_SHARE


def _blocks(its: Set, messages: Iterable[str]) -> list[str]:
    """Block of each workspace beside each message."""
    return [block_of(text, index) for text in messages for index in its.indexes.values()]


def _is_silent(text: str, index: RecallIndex) -> bool:
    return not recall_entries(text, index, today=TODAY, budget_chars=RECALL_CHARS)


def _is_right(question: Question, index: RecallIndex, most: int | None = None) -> bool:
    """True if the section in question is among the first `most` entries."""
    entries = recall_entries(question.text, index, today=TODAY, budget_chars=RECALL_CHARS)
    return any(entry.section == question.section for entry in fit_entries(entries, RECALL_CHARS)[:most])


def _is_foreign(question: Question, workspace: str) -> bool:
    """True if a message is foreign to a workspace and names neither state, month nor a heading."""
    return workspace != question.workspace and question.section not in _ANYWHERE and not question.section[:2].isdigit()


_ANYWHERE = ("Current State", "Next Steps")
