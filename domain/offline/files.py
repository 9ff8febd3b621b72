"""Rules of the offline model about files: name the files of a message, and send a file when asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from shlex import quote

from domain.offline.skills import find_script
from domain.turn.attachments import spoken_texts

MOST_NAMED = 10

_HEAD = re.compile(r"^\[(?:attached file|attachment): (?P<name>[^\n]+?), [0-9,]+ bytes\b", re.MULTILINE)
_SEND = re.compile(
    r"(?:please,? )?send me (?:the )?(?:file )?(?:`(?P<ticked>[^`]+)`|(?P<plain>[^\s`]*[./][^\s`]*[^\s`.,!?]))"
    r"(?:,? please)?[.!?]?",
    re.IGNORECASE,
)
_VOICE = "[voice message: "
_SCRIPT = "send-file/scripts/send.py"


@dataclass(frozen=True, slots=True)
class Words:
    """A prompt taken apart."""

    typed: str
    """Typed words; of a voice message the spoken words."""
    files: tuple[str, ...]
    """Names of files that came with the words."""


def part_prompt(prompt: str) -> Words:
    """Typed and spoken words of `prompt`, and the files; text of other files is never an order."""
    head = _HEAD.search(prompt)
    if head is None:
        return Words(prompt, ())
    names = tuple(match["name"] for match in _HEAD.finditer(prompt))
    typed, spoken = prompt[: head.start()].rstrip("\n"), spoken_texts(prompt)
    if spoken:
        typed = "\n".join((*(line for line in typed.splitlines() if not line.startswith(_VOICE)), *spoken))
    return Words(typed, names)


def file_wish(line: str) -> str:
    """File wanted by a line like ``send me notes.txt`` or ``send me the file `my notes` ``; empty without a file."""
    match = _SEND.fullmatch(line.strip())
    return (match["ticked"] or match["plain"]).strip() if match else ""


def send_command(system_prompt: str, file: str) -> str:
    """Command that sends `file`; empty when the skill for sending is not offered."""
    script = find_script(system_prompt, _SCRIPT)
    return f"python3 -I {script} -- {quote(file)}" if script else ""


def note_on_files(files: tuple[str, ...], images: int) -> str:
    """Sentence that names the attachments of a message; empty without attachments."""
    if not files:
        return ""
    more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
    named = f"With it came {', '.join(files[:MOST_NAMED])}{more}."
    return f"{named} I cannot see images." if images else named
