"""Question of the operator's to the running agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from actors.cli.common import fail

if TYPE_CHECKING:
    from actors.settings.schema import Settings

OPERATOR = "cli/operator"
"""Key of the window that stands for the operator."""
ANSWER_S = 60.0
Answer = Mapping[str, Any]


def running(settings: Settings, verb: str, answer_s: float = ANSWER_S, /, **arguments: object) -> Answer | None:
    """Answer of the running agent; None without a running agent."""
    from actors.context.log.data_root import DataRoot, DataRootError
    from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator

    try:
        return ask_operator(settings.data_root, verb, answer_s, **arguments)
    except RefusalError as error:
        fail(str(error))
    except AgentNotRunningError as error:
        reason = str(error)
    try:
        is_held = DataRoot(settings.data_root).is_held()
    except DataRootError as error:
        fail(str(error))
    if is_held:
        fail(reason)
    return None
