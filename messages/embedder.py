"""Protocol of EmbedderActor, the only maker of vectors from text."""

from __future__ import annotations

from enum import StrEnum

from messages.base import Address, Message, RequestId, make_ready
from messages.status import DescribeYourself

EMBEDDER = Address("embedder")
FACTS_EMBEDDER = Address("facts-embedder")
"""Embedder of the layer of facts, with its own model."""
RERANKER = Address("reranker")


class TextRole(StrEnum):
    """Use of an embedded text: some models treat documents and queries differently."""

    DOCUMENT = "document"
    QUERY = "query"


class EmbedTexts(Message, frozen=True, kw_only=True, gc=False):
    """Turn texts into vectors; answered by one `TextsEmbedded` or one `EmbeddingFailed`.

    With `deadline_s` the answer comes within this time or is worthless (a query); without a deadline, temporary faults
    are waited out and retried (documents).
    """

    request_id: RequestId
    reply_to: Address
    texts: tuple[str, ...]
    role: TextRole
    deadline_s: float | None = None


class TextsEmbedded(Message, frozen=True, kw_only=True, gc=False):
    """One vector for each text, in order."""

    request_id: RequestId
    model: str
    """Names the vector space: only vectors of the same name may be compared."""
    vectors: tuple[bytes, ...]
    """Little-endian float32 of unit length; empty for a text without a usable vector from the provider."""
    set_aside: tuple[int, ...] = ()
    """Places of texts for which no vector can be made: asking again is of no use until the agent's next start."""
    put_off: tuple[int, ...] = ()
    """Places of texts that failed while others did not: ask for them again after `again_s`."""
    again_s: float = 0.0


class EmbeddingFailed(Message, frozen=True, kw_only=True, gc=False):
    """No vectors."""

    request_id: RequestId
    reason: str
    is_permanent: bool
    """True if a retry is of no use until an operator acts: a wrong key, an exhausted quota."""


class DeadlinePassed(Message, frozen=True, kw_only=True, gc=False):
    """The answer to a request would come too late now (the actor's own timer)."""

    request_id: RequestId


class PauseOver(Message, frozen=True, kw_only=True, gc=False):
    """Timer of the actor's own: calls may be made again."""


class ProbeDue(Message, frozen=True, kw_only=True, gc=False):
    """Time to look whether the provider works again (the actor's own timer)."""


class RerankTexts(Message, frozen=True, kw_only=True, gc=False):
    """Judge how much each text bears on a query; answered by `TextsReranked` or `RerankFailed`."""

    request_id: RequestId
    reply_to: Address
    query: str
    texts: tuple[str, ...]
    deadline_s: float


class TextsReranked(Message, frozen=True, kw_only=True, gc=False):
    """One score for each text, in order."""

    request_id: RequestId
    scores: tuple[float, ...]
    are_logits: bool
    """True if scores are unbounded; otherwise each score is in [0, 1]."""


class RerankFailed(Message, frozen=True, kw_only=True, gc=False):
    """No scores."""

    request_id: RequestId
    reason: str


EmbedderMessage = EmbedTexts | DeadlinePassed | PauseOver | ProbeDue | DescribeYourself
EmbedderReply = TextsEmbedded | EmbeddingFailed
RerankerCommand = RerankTexts
RerankerReply = TextsReranked | RerankFailed
make_ready(__name__)
