"""Google's embedding models; the only module that imports google.genai."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import aiohttp
from pydantic import ValidationError

from actors.embedder.backend import CallError, Limits
from actors.embedder.worker import Loading
from actors.http_client.bounded_answers import Bounds, chain, refusal_in, refuse_detours
from actors.http_client.clean_connector import CleanConnector
from actors.http_client.environment import proxy_for, trusted_certificates
from actors.http_client.late_import import LATE_IMPORT
from actors.http_client.library_transport import MOST_BYTES
from domain.memory.embedding import google_fault
from domain.policy.retrying import Fault, FaultKind
from messages.embedder import TextRole

if TYPE_CHECKING:
    from google import genai

_GOOGLE = "https://generativelanguage.googleapis.com"
_TASKS = {TextRole.DOCUMENT: "RETRIEVAL_DOCUMENT", TextRole.QUERY: "RETRIEVAL_QUERY"}
_UNREADABLE = frozenset({"UnknownApiResponseError", "JSONDecodeError"})


class GoogleBackend:
    """Backend on the google-genai client; a thread imports the client at the first need, which takes seconds."""

    def __init__(
        self, *, model: str, dimensions: int, api_key: str, api_base: str, timeout_s: float, now: Callable[[], datetime]
    ) -> None:
        """Nothing is imported yet.

        Args:
            model: Google's name of the model, e.g. `gemini-embedding-001`.
            dimensions: Requested size; Google doesn't normalise shortened vectors, the caller does.
            api_key: Empty fails every call.
            api_base: Empty for Google's own address.
            timeout_s: Longest wait for one call.
            now: The wall clock, aware.
        """
        self._model = model
        self._dimensions = dimensions
        self._api_key = api_key
        self._api_base = api_base
        self._timeout_s = timeout_s
        self._now = now
        self._library = Loading("embedder-load", _import)
        self._is_closed = False
        self._client: genai.Client | None = None
        self._session: aiohttp.ClientSession | None = None
        self.limits = Limits(texts=100, chars=100_000, queries=4, documents=3, timeout_s=timeout_s, tells_roles=True)

    async def warm_up(self) -> None:
        """Import the client."""
        if not self._api_key:
            raise CallError(Fault(FaultKind.KEY))
        if self._client is None:
            self._connect(await self._library.get())

    async def embed(self, texts: Sequence[str], role: TextRole) -> Sequence[object]:
        """Google's vectors, of any length."""
        await self.warm_up()
        assert self._client is not None
        types = (await self._library.get()).types
        try:
            response = await self._client.aio.models.embed_content(
                model=self._model,
                # Of plain strings the client makes one content for some models, which then gets one vector.
                contents=[types.UserContent(parts=[types.Part(text=text)]) for text in texts],
                config={"task_type": _TASKS[role], "output_dimensionality": self._dimensions},
            )
        except ValidationError:
            return ()  # JSON, but not an answer's: numbers that are none, an error instead of embeddings
        except Exception as error:
            raise CallError(self._fault(error)) from error
        return [embedding.values for embedding in response.embeddings or ()]

    async def close(self) -> None:
        """Close the connections; no new connection is made."""
        self._is_closed = True
        if self._session is not None:
            await self._session.close()

    def _connect(self, library: Any) -> None:
        if self._is_closed:
            raise CallError(Fault(FaultKind.CUT_OFF))
        if self._client is not None:  # made for a call that waited for the same import
            return
        # A session of our own, since the client's inherits from aiohttp's in a way that aiohttp warns of. Without retry
        # options the client would sleep and try again by itself after a broken connection.
        self._session = aiohttp.ClientSession(
            connector=CleanConnector(bounds=Bounds(answer_bytes=MOST_BYTES)),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"Accept-Encoding": "identity"},
            middlewares=(refuse_detours,),
            proxy=proxy_for(self._api_base or _GOOGLE),
        )
        certificates = trusted_certificates()  # else the client reads them three times
        options = library.types.HttpOptions(
            base_url=self._api_base or None,
            timeout=round(self._timeout_s * 1000),
            aiohttp_client=self._session,
            client_args={"verify": certificates},
            async_client_args={"verify": certificates, "ssl": certificates},
            retry_options=library.types.HttpRetryOptions(attempts=1),
        )
        self._client = library.Client(api_key=self._api_key, vertexai=False, http_options=options)

    def _fault(self, error: Exception) -> Fault:
        if reason := refusal_in(error, "the embedding provider"):
            return Fault(FaultKind.BEYOND_BOUND, text=reason)
        names = [kind.__name__ for link in chain(error) for kind in type(link).__mro__]
        if not _UNREADABLE.isdisjoint(names):
            return Fault(FaultKind.UNREADABLE)
        code = getattr(error, "code", None)
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        return google_fault(
            names,
            code if isinstance(code, int) else None,
            str(error),
            getattr(error, "details", None),
            {str(name).lower(): str(value) for name, value in dict(headers).items()},
            self._now(),
        )


def _import() -> Any:
    with LATE_IMPORT:
        from google import genai

        return genai
