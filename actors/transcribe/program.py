"""Program of whisper.cpp on this machine: a command per recording, in the sandbox of the recording's window.

The program takes WAV of 16 kHz, and Discord sends Opus in Ogg, so ffmpeg converts first. Both are programs of the
system, needed by no other part.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
from pathlib import Path

from actors.kernel import Host, ask_from_loop
from actors.transcribe.answer import clean_words
from actors.transcribe.config import TranscribeConfig
from actors.transcribe.engine import Recording, UnheardError
from messages.base import Address, RequestId
from messages.shell import SHELL, BashOutcome, BashRefused, BashResult, CancelBash, RunBash, SharedFolder

log = logging.getLogger(__name__)

PROGRAMS = ("ffmpeg", "whisper-cli")
MAGIC = b"lmgg"
"""Beginning of whisper.cpp's weights."""
LONGEST_S = 3_600
"""Of a recording; the rest is not listened to."""
LANE = "transcribe"
_NO_PROGRAM, _NOT_CONVERTED, _NOT_HEARD = 97, 98, 99
_COMMAND = """\
for program in {programs}; do
  command -v "$program" >/dev/null || {{ echo "$program"; exit {no_program}; }}
done
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT || exit {not_converted}
ffmpeg -nostdin -v error -protocol_whitelist file -i {audio} -t {longest_s} -map 0:a:0 -ar 16000 -ac 1 \
-c:a pcm_s16le "$folder/audio.wav" >/dev/null 2>&1 || exit {not_converted}
whisper-cli -m {model} -f "$folder/audio.wav" -l {language} -t {threads} -np -nt >"$folder/words" 2>/dev/null \
|| exit {not_heard}
cat "$folder/words"
"""


class ProgramEngine:
    """Engine on whisper.cpp's `whisper-cli`, started by the shell like any command."""

    reads_files = True
    at_once = 2

    def __init__(self, config: TranscribeConfig, host: Host, threads: int) -> None:
        """Begin without a command.

        Args:
            config: Weights, language and bound.
            host: Asks the shell.
            threads: Computing threads; 0 for a thread per processor of this process.
        """
        self._config = config
        self._host = host
        self._threads = threads or len(os.sched_getaffinity(0))

    async def listen(self, recording: Recording) -> str:
        """Words of a kept file."""
        if not recording.path:
            raise UnheardError("the file is not kept here, and the program on this machine reads kept files only")
        if fault := fault_of_weights(self._config.model_file):
            raise UnheardError(fault)
        request_ids: list[RequestId] = []

        def make(request_id: RequestId, reply_to: Address) -> RunBash:
            request_ids.append(request_id)
            return RunBash(
                request_id=request_id,
                reply_to=reply_to,
                window=recording.window,
                command=command_of(recording.path, self._config, self._threads),
                timeout_s=self._config.timeout_s,
                folders=(SharedFolder(path=str(Path(self._config.model_file).parent)),),
                lane=LANE,
                is_operators=True,
            )

        try:
            reply = await ask_from_loop(self._host, SHELL, make, self._config.timeout_s)
        except BaseException:
            for request_id in request_ids:
                self._host.tell(SHELL, CancelBash(request_id=request_id))
            raise
        return words_of(reply)

    async def close(self) -> None:
        """Do nothing: no resource is open, and the shell ends commands of a stopped requester."""


def command_of(path: str, config: TranscribeConfig, threads: int) -> str:
    """Command that prints the words of a file.

    Args:
        path: Below the working directory; any characters.
        config: Weights and language.
        threads: Computing threads.
    """
    return _COMMAND.format(
        programs=" ".join(PROGRAMS),
        audio=shlex.quote(f"file:./{path}"),
        model=shlex.quote(config.model_file),
        language=config.language or "auto",
        threads=threads,
        longest_s=LONGEST_S,
        no_program=_NO_PROGRAM,
        not_converted=_NOT_CONVERTED,
        not_heard=_NOT_HEARD,
    )


def words_of(reply: BashResult | BashRefused) -> str:
    """Words printed by the command.

    Raises:
        UnheardError: a program is missing or failed.
    """
    if isinstance(reply, BashRefused):
        raise UnheardError(f"no program may run here: {reply.reason}".rstrip("."))
    if reply.outcome is BashOutcome.TIMED_OUT:
        raise UnheardError("whisper.cpp did not end in time")
    if reply.outcome is not BashOutcome.EXITED:
        raise UnheardError("whisper.cpp was stopped before it ended")
    if reply.exit_code == _NO_PROGRAM:
        raise UnheardError(f"{reply.text.split()[0]} is not installed where commands run")
    if reply.exit_code == _NOT_CONVERTED:
        raise UnheardError("ffmpeg cannot read this kind of recording")
    if reply.exit_code:
        raise UnheardError("whisper.cpp failed on the recording")
    if reply.truncated:
        raise UnheardError("its words are more than a command may print")
    return "" if reply.text.strip() == NO_OUTPUT else clean_words(reply.text)


NO_OUTPUT = "(no output)"
"""Text of a result without output."""


def fault_of_weights(file: str) -> str:
    """Reason why the weights cannot be used; empty for usable weights."""
    try:
        with open(file, "rb") as weights:  # noqa: PTH123 - a plain file of the operator's
            magic = weights.read(len(MAGIC))
    except OSError as error:
        return f"the weights {file} cannot be read: {error.strerror}"
    return "" if magic == MAGIC else f"{file} holds no weights of whisper.cpp's"


def missing_programs() -> tuple[str, ...]:
    """Programs missing from the system."""
    return tuple(name for name in PROGRAMS if shutil.which(name) is None)


def say_what_is_missing(config: TranscribeConfig) -> None:
    """Log once the software that the operator has to install for transcription."""
    for name in missing_programs():
        log.warning("transcribe.api is local, and %s is not installed: no recording can be listened to", name)
    if fault := fault_of_weights(config.model_file):
        log.warning("transcribe.api is local: %s", fault)
