"""TCP reset of a connection."""

from __future__ import annotations

import socket as sockets
import struct
from typing import Any


def reset_transport(transport: Any) -> None:
    """Cut a TCP connection with a reset instead of an orderly end."""
    if transport is None:
        return
    socket = transport.get_extra_info("socket")
    if socket is not None:
        socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
