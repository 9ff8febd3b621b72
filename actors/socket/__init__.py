"""Control sockets: SocketActor and the sockets through which scripts in a sandbox, and the operator, reach the actors.

Read first `actor.py` (the sockets opened, and the way from a request to a message), then `door.py` (a listening
socket), then `verb.py` (a request's arguments become another actor's message). `client.py` is the operator's side.
`doors.py` is the only writer of the folder of sockets, of `agent.sock` and of `agent.key`; `wire.py` and `verb.py` are
pure.
"""

from __future__ import annotations
