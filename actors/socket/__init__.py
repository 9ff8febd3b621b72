"""Control sockets: SocketActor and the doors through which scripts in a sandbox, and the operator, reach the actors.

Read first `actor.py` (what is opened, and how a request becomes a message), then `door.py` (one listening socket), then
`verb.py` (how a request's arguments become the message that another actor owns). `client.py` is the operator's side.
`doors.py` is the only writer of the folder of sockets, of `agent.sock` and of `agent.key`; `wire.py` and `verb.py` are
pure.
"""

from __future__ import annotations
