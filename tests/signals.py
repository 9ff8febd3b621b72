"""Signals as a process usually finds them, whatever the shell that started the tests has ignored."""

from __future__ import annotations

import signal

SENT = (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM)
"""Signals that tests send to processes of theirs."""


def heed_ignored() -> None:
    """Give children the default action of each signal in `SENT`; this process goes on ignoring what it ignored.

    A shell's `&` has interrupts ignored, `nohup` hang-ups, and a child inherits that. An exec resets handlers, unlike ignored signals.
    """
    for number in SENT:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
