"""Conversations in the form sent: histories in OpenAI's form, with images read beside the loop."""

from __future__ import annotations

import logging
from typing import Any

from actors.kernel import Bulkhead
from actors.model.picture import data_url, lose_image, refuse_image
from actors.model.wire import Look, messages_of, without_tool_calls
from messages.model import ModelRequest

log = logging.getLogger(__name__)

IMAGES_TIMEOUT_S = 20.0
"""Time for reading the images of a request; a slower disk hangs."""


class Conversations:
    """Reader of conversations; its threads are few, and each window's images wait in a lane of their own."""

    def __init__(self, look: Look = data_url, timeout_s: float = IMAGES_TIMEOUT_S) -> None:
        """Begin without reading.

        Args:
            look: Reads an image.
            timeout_s: Longest wait for the images of a request.
        """
        self._threads = Bulkhead("images")
        self._look = look
        self._timeout_s = timeout_s

    async def messages(self, request: ModelRequest, *, sees_images: bool) -> list[dict[str, Any]]:
        """The messages of a request.

        Args:
            request: Any.
            sees_images: Whether the model can look at images; otherwise the messages mention the images.
        """
        request = without_tool_calls(request)
        if not any(message.images for message in request.messages):
            return messages_of(request)
        look = self._look if sees_images else refuse_image
        lane = request.window.address.key
        try:
            return await self._threads.run(lane, self._timeout_s, messages_of, request, look)
        except TimeoutError as error:
            log.warning("images of window %s cannot be read: %s", lane, error)
            return messages_of(request, lose_image)
