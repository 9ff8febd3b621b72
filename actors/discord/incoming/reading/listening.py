"""Listening: words of voice messages and audio files, requested from the transcription actor."""

from __future__ import annotations

import asyncio
from functools import partial

from actors.kernel import Host, ask_future
from domain.turn.discord.parts import is_voice
from domain.turn.discord.wire import Wire
from messages.base import Window
from messages.socket import Refused
from messages.web import TRANSCRIBE, TRANSCRIPTION_RESTARTED, TranscribeAudio, Transcribed, TranscribeReply

OFF = "speech is not written down here (transcribe.api)"
NO_WORDS = "no words were heard in it"
CANNOT_LISTEN = "I cannot listen to voice messages here. Please write it instead."
HEARD_NOTHING = "I heard no words in your voice message. Please send it again, or write it."


class Unheard(str):
    """Reason why a recording has no words, for a reader."""

    __slots__ = ()


class Listening:
    """Client for the words of recordings; a failure gives a reason and has no other effect."""

    def __init__(self, host: Host, limit_s: float) -> None:
        """Begin without requests.

        Args:
            host: Asks the actor and gets the answer.
            limit_s: Longest wait for all recordings of one message; 0 where speech is not written down.
        """
        self._host = host
        self.limit_s = limit_s

    async def hear(self, window: Window, audio: bytes, path: str, left_s: float) -> Transcribed | Unheard:
        """Words of a recording, or a reason without words.

        Args:
            window: Window of the recording.
            audio: The whole file.
            path: Path of the kept file, below the working directory; empty if the file is not kept.
            left_s: Longest wait.
        """
        make = partial(TranscribeAudio, window=window, audio=audio, path=path)
        if not self.limit_s:
            return Unheard(OFF)
        if left_s <= 0:
            return Unheard("other recordings of this message took the time")
        try:
            async with asyncio.timeout(left_s):
                answer: TranscribeReply = await ask_future(self._host, TRANSCRIBE, make)
                while isinstance(answer, Refused) and answer.reason == TRANSCRIPTION_RESTARTED:
                    answer = await ask_future(self._host, TRANSCRIBE, make)
        except TimeoutError:
            return Unheard(f"its words did not come within {left_s:.0f} s")
        if isinstance(answer, Refused):
            return Unheard(answer.reason)
        return answer if answer.text else Unheard(NO_WORDS)

    @staticmethod
    def now_s() -> float:
        """Time on the loop."""
        return asyncio.get_running_loop().time()


def answer_unheard(message: Wire, reasons: list[str]) -> str:
    """Answer to the author of a voice message without heard words; empty for any other message.

    Args:
        message: As Discord sent it.
        reasons: Why its recordings have no words; empty if words were heard.
    """
    if not is_voice(message) or not reasons:
        return ""
    if reasons[0] == OFF:
        return CANNOT_LISTEN
    if reasons[0] == NO_WORDS:
        return HEARD_NOTHING
    return f"I could not listen to your voice message: {reasons[0]}. Please send it again, or write it."
