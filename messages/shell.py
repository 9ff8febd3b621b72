"""Protocol of ShellActor, the only one that starts processes."""

from __future__ import annotations

from enum import StrEnum

from messages.base import Address, Message, RequestId, Value, Window, make_ready

SHELL = Address("shell")


class BashOutcome(StrEnum):
    """Kind of a command's end."""

    EXITED = "exited"
    TIMED_OUT = "timed-out"
    ABORTED = "aborted"


class SharedFolder(Value, frozen=True, kw_only=True, gc=False):
    """A folder of a contributor's own that commands in a sandbox see at its path; without a sandbox it is there anyway.

    What commands leave in it is as in a working directory: links, pipes, folders that are shut. Readers of the folder
    follow no link.
    """

    path: str
    """Absolute and real: no part of it is a link. While it does not exist, nothing is shown."""
    may_write: bool = False
    """True if commands may change the folder, within bounds like a working directory's but smaller."""
    kept: tuple[str, ...] = ()
    """Names directly in it that they may only read although they may change the rest; what is not there when a command
    begins is not kept. Who puts another file in the place of one of them while a command runs takes the protection of
    that name from that command: write into the file instead."""
    hidden: tuple[str, ...] = ()
    """Names directly in it of regular files and folders that commands see empty, and cannot change; likewise. What is
    shared of its own within such a folder is shown there."""


class RunBash(Message, frozen=True, kw_only=True, gc=False):
    """Run one command with bash in the window's working directory."""

    request_id: RequestId
    reply_to: Address
    window: Window
    command: str
    timeout_s: float | None = None
    """Seconds, > 0; None for the configured default; more than the maximum is refused."""
    audience: str = ""
    """Readers of the window, as a label of `domain.policy.audience`: the label decides which logs the command may read.
    """
    folders: tuple[SharedFolder, ...] = ()
    """Shown to the command besides; of two with one path the narrower permission holds."""
    lane: str = ""
    """Commands of one lane run one after the other, those of two beside each other; empty for the window's own turn.

    Lanes have places of their own, so that a command which waits for what a lane does takes none from it. What only the
    turn's own commands may ask (`Verb.in_lanes`) is not to be asked from a lane."""


class EmptyFolder(Message, frozen=True, kw_only=True, gc=False):
    """Empty the window's working directory and its kept output, after its commands that were asked for before.

    No command is run for it. Answered by `FolderEmptied`, or `Refused` of the socket's protocol.
    """

    request_id: RequestId
    reply_to: Address
    window: Window


class FolderEmptied(Message, frozen=True, kw_only=True, gc=False):
    """The working directory is empty, and kept output is gone; attachments and logs are where they were."""

    request_id: RequestId


class CancelBash(Message, frozen=True, kw_only=True, gc=False):
    """Kill the command and everything that it started; its result says `aborted`."""

    request_id: RequestId


class BashResult(Message, frozen=True, kw_only=True, gc=False):
    """Output of a command and its end."""

    request_id: RequestId
    outcome: BashOutcome
    exit_code: int | None
    """None unless `exited`; negative for a signal."""
    text: str
    """For the model: the tail of the merged output with its notices."""
    truncated: bool
    full_output_path: str
    """File with the whole output, empty when `text` has all of it."""
    duration_s: float

    @property
    def is_error(self) -> bool:
        """True if the model should take the result as a failure."""
        return self.outcome is not BashOutcome.EXITED or self.exit_code != 0


class BashRefused(Message, frozen=True, kw_only=True, gc=False):
    """Nothing was run."""

    request_id: RequestId
    reason: str


ShellCommand = RunBash | CancelBash | EmptyFolder
ShellMessage = ShellCommand
CommandReply = BashResult | BashRefused
ShellReply = CommandReply | FolderEmptied
make_ready(__name__)
