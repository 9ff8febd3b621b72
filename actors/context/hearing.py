"""Hearing: what a turn waits for, handed to the turn driver."""

from __future__ import annotations

from actors.context.turn_driver import TurnDriver
from messages.base import Message
from messages.context import ContributionsDue, StepOverdue
from messages.model import ModelDelta, ModelFailed, ModelReply
from messages.shell import BashRefused, BashResult
from messages.socket import Refused
from messages.turn import ReferenceExpanded, RequestWorded, TrimReady, TurnContribution


def heard(driver: TurnDriver, message: Message) -> bool:
    """Whether `message` is one for the driver, which has it now."""
    match message:
        case TurnContribution():
            driver.contributed(message)
        case ContributionsDue():
            driver.preparation_over(message)
        case StepOverdue():
            driver.overdue(message)
        case ModelDelta():
            driver.progressed(message)
        case ModelReply():
            driver.replied(message)
        case ModelFailed():
            driver.model_failed(message)
        case TrimReady():
            driver.trim_ready(message)
        case RequestWorded():
            driver.worded(message)
        case ReferenceExpanded():
            driver.expanded(message)
        case Refused():
            driver.refused(message)
        case BashResult():
            driver.bash_ended(message)
        case BashRefused():
            driver.bash_refused(message)
        case _:
            return False
    return True
