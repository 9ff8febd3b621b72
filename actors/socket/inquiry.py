"""Messages that wait for their answers; everything here runs on the socket actor's loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from messages.base import Address, Message, RequestId

log = logging.getLogger(__name__)

Tell = Callable[[Address, Message], None]


class Inquiries:
    """Correlation of replies with requests, by request id; what comes too late is dropped."""

    def __init__(self, tell: Tell, new_id: Callable[[], str]) -> None:
        self._tell = tell
        self._new_id = new_id
        self._waiting: dict[RequestId, asyncio.Future[Message]] = {}

    async def inquire(
        self,
        to: Address | Callable[[Message], Address],
        build: Callable[[RequestId], Message],
        timeout_s: float,
    ) -> Message:
        """The answer to the message that `build` makes for a new request id.

        Args:
            to: Whom to ask; may depend on the message.
            build: Makes it.
            timeout_s: How long to wait.

        Raises:
            TimeoutError: none came within `timeout_s`.
        """
        request_id = RequestId(self._new_id())
        message = build(request_id)
        answer = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        try:
            self._tell(to if isinstance(to, Address) else to(message), message)
            return await asyncio.wait_for(answer, timeout_s)
        finally:
            del self._waiting[request_id]

    def resolve(self, request_id: RequestId, answer: Message) -> None:
        """Hand `answer` to whoever waits for it."""
        waiting = self._waiting.get(request_id)
        if waiting is None or waiting.done():
            log.info("%s came when nobody waited for it any more", type(answer).__name__)
            return
        waiting.set_result(answer)
