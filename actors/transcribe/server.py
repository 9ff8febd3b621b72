"""Server of transcriptions: OpenAI's form, or the form of whisper.cpp's own server; a call with its retries."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import aiohttp
from tenacity import RetryCallState, Retrying, wait_exponential, wait_random

from actors.http_client.bounded_answers import BeyondBoundError
from actors.http_client.connections import Connections, headers_of, read_whole
from actors.kernel import Host
from actors.part.spending import publish_spent
from actors.transcribe.answer import UnreadableError, read_answer, reason_of, server_fault, usage_in, wants_other_form
from actors.transcribe.config import OPENAI_URL, Api, TranscribeConfig
from actors.transcribe.container import Container, container_of
from actors.transcribe.engine import Recording, UnheardError
from domain.policy.retrying import Fault, FaultKind, classify, next_wait_s
from domain.policy.spending import Attempt
from messages.model import CallKind, CallOutcome, Usage

MOST_ANSWER_BYTES = 8 << 20
OPENAI_BYTES = 25_000_000
"""OpenAI's own limit; larger recordings are refused without a call."""
_PATHS = {Api.OPENAI: "/audio/transcriptions", Api.WHISPER_CPP: "/inference"}
_WITH_SEGMENTS, _PLAIN_FORM = "verbose_json", "json"


class _CallError(Exception):
    """Failure of a call."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind.value)
        self.fault = fault


class ServerEngine:
    """Engine on a server; asks for segments with probabilities, to tell speech from silence, if the server has them.

    Some models refuse this form and name it in the refusal; from then on the engine asks for the plain form.
    """

    reads_files = False
    at_once = 32

    def __init__(self, config: TranscribeConfig, host: Host) -> None:
        """Open no connection yet.

        Args:
            config: Address, key, model and retries.
            host: Tells the time, and makes tokens.
        """
        path = _PATHS[config.api]
        base = (config.url or OPENAI_URL).rstrip("/").removesuffix(path)
        self._address = base + path
        self._is_openai = base == OPENAI_URL
        self._config = config
        self._host = host
        self._connections = Connections()
        self._form = _WITH_SEGMENTS if config.api is Api.OPENAI else _PLAIN_FORM

    async def listen(self, recording: Recording) -> str:
        """Words of a recording, by as many calls as the policy allows."""
        container = container_of(recording.audio)
        if container is None:
            raise UnheardError("its audio format is unknown")
        if self._is_openai and len(recording.audio) > OPENAI_BYTES:
            raise UnheardError(f"it has {len(recording.audio):,} bytes, and OpenAI takes at most {OPENAI_BYTES:,}")
        policy, state = self._config.retries, RetryCallState(Retrying(), None, (), {})
        wait = wait_exponential(policy.base_s, policy.cap_s, policy.factor) + wait_random(0, policy.jitter_s)
        while True:
            try:
                return await self._ask(recording, container)
            except _CallError as error:
                wait_s = next_wait_s(error.fault, state.attempt_number, float(wait(state)), policy)
                if wait_s is None:
                    raise UnheardError(reason_of(error.fault, state.attempt_number)) from error
            await asyncio.sleep(wait_s)
            state.attempt_number += 1

    async def close(self) -> None:
        """Close the connections, also of calls under way."""
        await self._connections.close()

    async def _ask(self, recording: Recording, container: Container) -> str:
        form = self._form
        try:
            return await self._call(recording, container, form)
        except _CallError as error:
            if form == _PLAIN_FORM or not wants_other_form(error.fault.words):
                raise
        self._form = _PLAIN_FORM
        return await self._call(recording, container, _PLAIN_FORM)

    async def _call(self, recording: Recording, container: Container, form: str) -> str:
        """Make a call, and enter it in the ledger with any outcome."""
        attempt = Attempt(
            kind=CallKind.TRANSCRIPTION,
            owner=recording.window.address.key,
            call_id=self._host.new_id(),
            model=self._config.model_name,
            sent_tokens=0,
            began_s=self._host.monotonic(),
        )
        outcome, usage = CallOutcome.CANCELLED, Usage()
        try:
            data = await self._post(recording.audio, container, form)
            outcome, usage = CallOutcome.FAILED, usage_in(data)
            words = read_answer(data)
            outcome = CallOutcome.ANSWERED
        except UnreadableError as error:
            raise _CallError(server_fault(Fault(FaultKind.UNREADABLE, 200, words=error.words))) from error
        except _CallError:
            outcome = CallOutcome.FAILED
            raise
        finally:
            publish_spent(self._host, attempt.entry(outcome, usage, self._host.now(), self._host.monotonic()))
        return words

    async def _post(self, audio: bytes, container: Container, form: str) -> bytes:
        """Body of the server's answer."""
        fields = {"response_format": form, "temperature": "0"}
        if self._config.api is Api.OPENAI:
            fields["model"] = self._config.model_name
        language = self._config.language or ("auto" if self._config.api is Api.WHISPER_CPP else "")
        if language:
            fields["language"] = language
        boundary = f"form-{self._host.new_token()}"
        body = multipart(fields, audio, container, boundary)
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        if self._config.key:
            headers["Authorization"] = f"Bearer {self._config.key}"
        try:
            async with self._connections.post(self._address, body, headers) as response:
                data = await read_whole(response, MOST_ANSWER_BYTES)
        except BeyondBoundError as error:
            raise _CallError(Fault(FaultKind.BEYOND_BOUND)) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            names = [kind.__name__ for kind in type(error).__mro__]
            raise _CallError(classify(names, None, str(error), {}, self._host.now())) from error
        if response.status != 200:
            words = data.decode("utf-8", "replace")
            fault = classify(("APIStatusError",), response.status, words, headers_of(response), self._host.now())
            raise _CallError(fault if wants_other_form(fault.words) else server_fault(fault))
        return data


def multipart(fields: Mapping[str, str], audio: bytes, container: Container, boundary: str) -> bytes:
    """Body of a form with one file.

    Args:
        fields: Names and values, without line breaks.
        audio: The file.
        container: Kind of the file, source of name and type: servers judge a file by the ending of its name.
        boundary: Token absent from all parts.
    """
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="recording.{container.ending}"\r\n'
        f"Content-Type: {container.media_type}\r\n\r\n"
    )
    return "".join((*parts, head)).encode() + audio + f"\r\n--{boundary}--\r\n".encode()
