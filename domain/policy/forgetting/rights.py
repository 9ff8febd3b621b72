"""Rights and limits of forgetting: words that a person may have forgotten, and search results on a topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from domain.policy.forgetting.repeatable import is_repeatable
from messages.base import Surface, Value, Window, make_ready
from messages.forget import ForgettableEvent, Scope, ScopeKind
from messages.memory import FoundMemory

NOT_YOURS = (
    "another person wrote it; you may always forget your own words, and words of others take an operator or the "
    "permission Manage Messages here"
)
NOT_ALL_YOURS = "this takes an operator or the permission Manage Messages here; you may always forget your own words"
NO_ACCOUNT = "name the person by a mention or by the account's id"
NO_SUCH_MESSAGE = "no log of this window has words of that message"
NOTHING = "no words were found that you may forget"
_LEAST_SIMILARITY = 0.5
_NEAR = 0.8
_SHARED = 0.5
_EXCERPTS = 4
_EXCERPT_CHARS = 120


class Asker(Value, frozen=True, kw_only=True, gc=False):
    """Requester of a forget request, with rights."""

    account: str
    """Empty for the operator at the terminal, and for the agent's own rules."""
    is_operator: bool
    """True if everything may be forgotten."""
    manages: Window | None = None
    """Window in which everything may be forgotten."""

    def limit_in(self, window: Window) -> str:
        """Account whose own words alone may be forgotten in a window; empty for everyone's words."""
        return "" if self.is_operator or window == self.manages else self.account


def asker_of(account: str, operators: Iterable[str], window: Window, *, manages_messages: bool) -> Asker:
    """Rights of a person in a window; a direct conversation is the person's own."""
    manages = manages_messages or window.surface is Surface.DISCORD_DM
    return Asker(
        account=account,
        is_operator=not account or account in frozenset(operators),
        manages=window if manages else None,
    )


def refusal(scope: Scope, asker: Asker) -> str:
    """Reason to refuse a request whatever the matches; empty without a reason."""
    if scope.kind is ScopeKind.REPEATED:
        return "repetitions are forgotten with the words that they repeat"
    if scope.kind is ScopeKind.PERSON and not scope.person_id:
        return NO_ACCOUNT
    if not asker.limit_in(scope.window):
        return ""
    if scope.kind in (ScopeKind.WINDOW, ScopeKind.EXPIRED):
        return NOT_ALL_YOURS
    if scope.kind is ScopeKind.PERSON and scope.person_id != asker.account:
        return NOT_ALL_YOURS
    return ""


def on_topic(memories: Sequence[FoundMemory]) -> list[FoundMemory]:
    """Search results on a topic: results with the topic's words, and results about as near as the nearest."""
    words = max((each.words for each in memories), default=0.0)
    nearest = max((each.similarity for each in memories), default=0.0)
    least = max(_LEAST_SIMILARITY, _NEAR * nearest)
    return [each for each in memories if each.words > _SHARED * words or each.similarity >= least]


def repeatable_texts(events: Iterable[ForgettableEvent]) -> tuple[str, ...]:
    """Texts of people whose verbatim repetitions are forgotten, too, each once."""
    return list_repeatable(text for event in events if event.author_id for text in (event.text, event.typed))


def list_repeatable(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts whose verbatim repetitions are forgotten, too, each once."""
    stripped = (text.strip() for text in texts)
    return tuple(dict.fromkeys(text for text in stripped if is_repeatable(text)))


def people(events: Iterable[ForgettableEvent]) -> int:
    """Number of accounts with words among the events."""
    return len({event.author_id for event in events if event.author_id})


def excerpts(events: Sequence[ForgettableEvent]) -> tuple[str, ...]:
    """Beginnings of some texts: the oldest and the newest."""
    texts = [text for event in events if (text := " ".join(event.text.split()))]
    chosen = texts if len(texts) <= _EXCERPTS else [*texts[: _EXCERPTS - 1], texts[-1]]
    return tuple(text if len(text) <= _EXCERPT_CHARS else text[: _EXCERPT_CHARS - 1] + "…" for text in chosen)


make_ready(__name__)
