"""Calls through litellm.

Measured with litellm 1.106.2, CPU of a streamed call (12 messages, a tool, 10 chunks): read through litellm's stream
wrapper 31 ms (`hosted_vllm/`) and 44 ms (`openai/`), since the wrapper takes 0.9 ms for each chunk and 10 ms at the
end. Streams already in OpenAI's own form are read beneath the wrapper: 10 and 21 ms. OpenAI's client takes another
0.9 ms for each message of the history; litellm's own HTTP handler in its place brings `openai/` to 10 ms as well.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import gc
import logging
import os
import re
from collections.abc import AsyncIterable, AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from functools import cache
from typing import Any

from actors.http_client.bounded_answers import chain
from actors.http_client.late_import import LATE_IMPORT
from actors.http_client.litellm_library import import_litellm
from actors.model.answer import MOST_CHARS, bound_fault, completion_of, require_room
from actors.model.backend import AttemptError, AttemptProgress
from actors.model.config import NO_KEY, ModelConfig
from actors.model.conversation import Conversations
from actors.model.silence import Silence
from actors.model.wire import fit_ids, tools_of
from domain.policy.model_call.caching import cache_key, is_repeated, mark_messages, wants_marks
from domain.policy.model_call.fallbacks import Abilities
from domain.policy.model_call.thoughts_back import give_back
from domain.policy.retrying import REFUSED, Fault, FaultKind, classify
from domain.policy.spending import stated_tokens
from domain.text.answer.assembly import Assembly
from messages.model import Completion, ModelRequest, Usage

log = logging.getLogger(__name__)

PLAIN_STREAMS = frozenset({"openai", "hosted_vllm"})
"""Providers whose streams are OpenAI's chunks already on reaching litellm's wrapper."""
TOLD_ENDS = frozenset({"anthropic", "ollama_chat"})
"""Providers for which litellm records whether an end was stated; without a statement, litellm invents a reason."""
_MISTRALS = "mistral"
_GEMINI = frozenset({"gemini", "vertex_ai", "vertex_ai_beta"})
_READER_OF_GEMINI = ".vertex_and_google_ai_studio_gemini"
"""Module of litellm's; other models of Google's servers are read elsewhere."""
_NATIVE_END = re.compile(r'"(?:finishReason|blockReason|stop_reason|done_reason)"\s*:\s*"(\w{1,60})"')
"""A provider's own word for the end in a line of its stream; litellm merges several words, and adds an end if missing.
"""
_ERROR_OF_OLLAMA = re.compile(r"unexpected response from Ollama: \{['\"]error")
"""litellm's words for a server's report of an error in the midst of an answer."""
SDK_FAMILIES = frozenset({"azure"})
"""Providers called by litellm through OpenAI's own client."""
SETTLE_S = 0.3
"""Seconds before a call can be cancelled: litellm prepares the call in a thread, and the coroutine from there would
never be awaited, so Python would warn."""


class LitellmBackend:
    """Backend on litellm, imported at the first need, in a thread beside the loop."""

    def __init__(self, config: ModelConfig, now: Callable[[], datetime]) -> None:
        """Begin without importing litellm.

        Args:
            config: Model, its address, and the keys.
            now: Wall clock, aware UTC.
        """
        self._config = config
        self._now = now
        self._litellm: Any = None
        self._conversations = Conversations()
        self._unpriced: set[str] = set()
        self._abandoned: set[asyncio.Task[Any]] = set()

    async def abilities(self, model: str) -> Abilities:
        """Abilities of a model by litellm's tables."""
        library = await self._library()
        return Abilities(library.supports_function_calling(model=model), library.supports_vision(model=model))

    async def warm_up(self) -> None:
        """Import litellm; takes seconds."""
        await self._library()

    async def close(self) -> None:
        """Close the connections of every loop that used litellm in this process."""
        if self._abandoned:
            await asyncio.wait(self._abandoned, timeout=SETTLE_S)
        if self._litellm is not None:
            await self._litellm.close_litellm_async_clients()
            self._litellm.in_memory_llm_clients_cache.flush_cache()

    async def complete(self, model: str, request: ModelRequest, say: AttemptProgress) -> Completion:
        """Answer of the model.

        Raises:
            AttemptError: there is no answer; the error's fault has the reason.
        """
        silence = Silence(self._config.idle_timeout_s, self._config.longest_without_content_s)
        try:
            async with silence:
                library = await self._library()
                silence.hear()
                has_images = any(message.images for message in request.messages)
                sees_images = has_images and library.supports_vision(model=model)
                messages = await self._conversations.messages(request, sees_images=sees_images)
                arguments = self._arguments(library, model, request, messages)
                if not self._config.streams:
                    return self._take_whole(model, request, await self._open(library, arguments), say)
                async with contextlib.aclosing(await self._open(library, arguments)) as stream:
                    return await self._read(model, request, stream, say, silence)
        except AttemptError:
            raise
        except Exception as error:
            raise AttemptError(self._fault(error, lacks_content=silence.lacks_content)) from error

    async def _open(self, library: Any, arguments: dict[str, Any]) -> Any:
        """The stream of an answer, once begun by the server."""
        loop = asyncio.get_running_loop()
        opening = loop.create_task(library.acompletion(**arguments))
        may_cancel_at = loop.time() + SETTLE_S
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            self._abandoned.add(opening)
            opening.add_done_callback(self._discard)
            loop.call_at(may_cancel_at, opening.cancel)
            raise

    def _discard(self, opening: asyncio.Task[Any]) -> None:
        """Close a stream without a waiting caller."""
        self._abandoned.discard(opening)
        if self._config.streams and not opening.cancelled() and opening.exception() is None:
            closing = asyncio.get_running_loop().create_task(opening.result().aclose())
            self._abandoned.add(closing)
            closing.add_done_callback(self._abandoned.discard)

    async def _read(
        self, model: str, request: ModelRequest, stream: Any, say: AttemptProgress, silence: Silence
    ) -> Completion:
        assembly, usage, chunks = Assembly(MOST_CHARS), None, 0
        ending = _Ending(stream)
        async for chunk in ending.chunks():
            had = assembly.size
            say.has_begun = True
            if counted := getattr(chunk, "usage", None):
                usage, say.usage = counted, self._usage(model, counted)
            for choice in getattr(chunk, "choices", None) or ():
                chunks += 1
                if piece := assembly.add(choice):
                    say(piece)
            require_room(assembly)
            silence.hear(has_content=assembly.size > had)
        if ending.is_made_up:
            say.usage = None  # litellm has counted what it heard
            raise AttemptError(Fault(FaultKind.CUT_OFF))
        assembly.finish_reason = ending.native or assembly.finish_reason
        if not assembly.has_ended:
            raise AttemptError(Fault(FaultKind.CUT_OFF if chunks else FaultKind.UNREADABLE))
        return completion_of(assembly, request, self._usage(model, usage))

    def _take_whole(self, model: str, request: ModelRequest, answer: Any, say: AttemptProgress) -> Completion:
        say.has_begun = True
        say.usage = self._usage(model, getattr(answer, "usage", None))
        assembly = Assembly(MOST_CHARS)
        for choice in answer.choices[:1]:
            assembly.add(choice, is_whole=True)
            own = getattr(choice, "provider_specific_fields", None) or {}
            assembly.finish_reason = own.get("native_finish_reason") or assembly.finish_reason
        if not assembly.has_ended:
            raise AttemptError(Fault(FaultKind.UNREADABLE))
        say(assembly.text)
        return completion_of(assembly, request, say.usage)

    def _arguments(
        self, library: Any, model: str, request: ModelRequest, messages: list[dict[str, Any]]
    ) -> dict[str, Any]:
        name_there, provider, *_ = library.get_llm_provider(model)
        is_own_server = self._config.is_own(model)
        if _MISTRALS in name_there.lower() or provider == _MISTRALS:
            messages = fit_ids(messages, _MISTRALS)
        kind = "" if is_own_server and provider in PLAIN_STREAMS else provider
        messages = give_back(messages, request, kind, name_there)
        if is_repeated(request) and wants_marks(provider, name_there):
            messages = mark_messages(messages, request)
        arguments: dict[str, Any] = {
            "model": model,
            "messages": messages,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
            "timeout": self._config.idle_timeout_s + 5,
            # Without it, offering tools makes litellm import its proxy and the package `mcp`, which is not installed.
            "_skip_mcp_handler": True,
        }
        if self._config.streams:
            arguments |= {"stream": True, "stream_options": {"include_usage": True}}
        if request.tools:
            arguments["tools"] = tools_of(request.tools)
        if is_own_server:
            arguments["api_base"] = self._config.api_base
        elif is_repeated(request) and (cache := cache_key(provider, request.window)):
            arguments["prompt_cache_key"] = cache
        name = f"{provider.upper()}_API_KEY"
        if key := self._config.api_keys.get(name) or (NO_KEY if is_own_server and name not in os.environ else ""):
            arguments["api_key"] = key  # else litellm looks into the environment
        return arguments

    def _usage(self, model: str, usage: Any) -> Usage:
        prompt, completion = (stated_tokens(getattr(usage, name, 0)) for name in ("prompt_tokens", "completion_tokens"))
        cached = stated_tokens(getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", 0))
        stored = stated_tokens(getattr(usage, "cache_creation_input_tokens", 0)) or stated_tokens(
            getattr(getattr(usage, "prompt_tokens_details", None), "cache_creation_tokens", 0)
        )
        counts = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "cache_read_input_tokens": min(cached, prompt),
            "cache_creation_input_tokens": stored,
        }
        cost_usd = 0.0 if usage is None else self._cost(model, counts)
        return Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost_usd=cost_usd,
            cached_tokens=cached,
            stored_tokens=stored,
        )

    def _cost(self, model: str, counts: dict[str, int]) -> float:
        """Cost by litellm's price list; 0 for an unlisted model."""
        prices = self._litellm.model_cost
        if model in self._unpriced or not (model in prices or model.partition("/")[2] in prices):
            return 0.0
        try:
            costs = self._litellm.cost_per_token(model=model, **counts)
        except Exception:
            log.warning("litellm cannot price %s", model, exc_info=True)
            self._unpriced.add(model)
            return 0.0
        return float(sum(costs))

    def _fault(self, error: Exception, *, lacks_content: bool) -> Fault:
        if (beyond := bound_fault(error)) is not None:
            return beyond
        if isinstance(error, TimeoutError):
            return Fault(FaultKind.IDLE_STREAM if lacks_content else FaultKind.SLOW)
        links = chain(error)
        text = " ".join(str(link) for link in links)
        names = [kind.__name__ for link in links for kind in type(link).__mro__]
        if _ERROR_OF_OLLAMA.search(text):
            fault = classify(names, None, text, {}, self._now())
            return fault if fault.kind in REFUSED else Fault(FaultKind.SERVER)
        responses = [response for link in links if (response := getattr(link, "response", None)) is not None]
        headers = next((dict(response.headers) for response in responses if response.headers), {})
        statuses = [code for link in links if isinstance(code := getattr(link, "status_code", None), int)]
        status = next(iter(statuses), None)
        if status is not None and status >= 500:  # litellm calls all of them 500; the last is the server's own
            status = [code for code in statuses if code >= 500][-1]
        return classify(names, status, text, headers, self._now())

    async def _library(self) -> Any:
        if self._litellm is None:
            self._litellm = await asyncio.shield(asyncio.wrap_future(load(self._config.name)))
        return self._litellm


class _Ending:
    """End of a stream: stated by the provider, or invented by litellm for an answer that broke off."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.native = ""
        """The provider's own word, if its lines can be seen."""
        self.is_made_up = False
        """Once the chunks are over."""

    async def chunks(self) -> AsyncIterator[Any]:
        """The chunks, to their end, in OpenAI's form."""
        stream, provider = self._stream, self._stream.custom_llm_provider
        beneath = stream.completion_stream
        if provider in PLAIN_STREAMS and isinstance(beneath, AsyncIterable):
            async for chunk in beneath:
                yield chunk
            return
        reader = await self._watch()
        async for chunk in stream:
            yield chunk
        if provider in _GEMINI and reader.endswith(_READER_OF_GEMINI):
            self.is_made_up = not self.native
        elif provider in TOLD_ENDS:
            self.is_made_up = stream.received_finish_reason is None

    async def _watch(self) -> str:
        """Look at each line of a stream before litellm does; the name of litellm's reader, empty for hidden lines."""
        beneath = await self._stream.fetch_stream()
        lines = getattr(beneath, "streaming_response", None)
        if not isinstance(lines, AsyncIterable):
            return ""
        beneath.streaming_response = self._watch_lines(lines)
        return type(beneath).__module__

    async def _watch_lines(self, lines: AsyncIterable[Any]) -> AsyncIterator[Any]:
        async for line in lines:
            if (end := _NATIVE_END.search(str(line))) is not None:
                self.native = end[1]
            yield line


@cache
def load(model: str) -> Future[Any]:
    """litellm, imported and ready for `model`; not in a loop's executor, as the loop's end waits for the executor."""
    executor = ThreadPoolExecutor(1, "litellm-import")
    loading = executor.submit(_load_alone, model)
    executor.shutdown(wait=False)
    return loading


def _load_alone(model: str) -> Any:
    with LATE_IMPORT:
        return _load(model)


def _load(model: str) -> Any:
    """Litellm without exit handlers, and ready for a first call."""
    litellm = import_litellm()
    from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER
    from litellm.responses import main as responses

    # It imports litellm's proxy and the package `mcp`, which is not installed, before it looks into a request.
    responses._responses_try_dispatch_mcp_gateway = lambda **_: None
    atexit.unregister(GLOBAL_LOGGING_WORKER._flush_on_exit)
    _rehearse(litellm, model)
    gc.collect()
    gc.freeze()  # a full collection that looks at all of litellm stops every thread for half a second
    return litellm


def _rehearse(library: Any, model: str) -> None:
    """Have litellm do the imports of its first call now, not on the loop, two seconds' worth; no request is sent."""
    request = [{"role": "user", "content": "rehearsal"}]
    with contextlib.suppress(library.exceptions.BadRequestError):  # of an unknown model, as every real call will be
        for _ in library.completion(model=model, messages=request, mock_response="done", stream=True):
            continue
    if model.partition("/")[0] in SDK_FAMILIES:
        import openai.resources.chat  # noqa: F401
