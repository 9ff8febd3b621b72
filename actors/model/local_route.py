"""Routes to models on this machine: the address and key of a server started by another actor."""

from __future__ import annotations

from actors.kernel import Host, ask_from_loop
from actors.model.backend import AttemptError
from actors.model.route import Listing, Route, route_to
from domain.policy.retrying import Fault, FaultKind
from messages.model import (
    LocalModelFailed,
    LocalModelReady,
    LocalModelReply,
    OpenLocalModel,
    local_model_address,
)

ANSWER_S = 660.0
"""Longer than any server may take to start."""


class LocalRoutes:
    """Routes to local models, asked for anew at each call, since a server's address lasts as long as its process."""

    def __init__(self, host: Host) -> None:
        """Begin without requests.

        Args:
            host: The asking actor.
        """
        self._host = host

    async def find(self, model: str) -> Route:
        """The route to a model, once its server runs.

        Args:
            model: `local/` and a name.

        Raises:
            AttemptError: there is no server; the fault tells the reason.
        """
        try:
            server = local_model_address(model)
            answer: LocalModelReply = await ask_from_loop(self._host, server, OpenLocalModel, ANSWER_S)
        except TimeoutError as error:
            raise AttemptError(Fault(FaultKind.SLOW)) from error
        match answer:
            case LocalModelReady(address=address, key=key):
                return route_to(Listing(provider="local", name=model), address, key, "remembrancer")
            case LocalModelFailed(reason=reason):
                raise AttemptError(Fault(FaultKind.UNREACHABLE, text=reason))
            case _:
                raise AttemptError(Fault(FaultKind.NOT_FOUND, text=answer.reason))
