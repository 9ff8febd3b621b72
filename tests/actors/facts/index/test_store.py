"""The open index against a comparison with everything: whatever is put and dropped, and however little stays loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.facts.index.audit import audit
from actors.facts.index.store import FactStore
from messages.base import Address, RequestId
from messages.facts import ChangeRows, EntryRole, FetchRows, FindRows, IndexRow
from tests.actors.facts.index.rig import AT, later, row, unit

ROLES = tuple(EntryRole)
CONVERSATIONS = ("c", "d", "global", "")
VECTORS = (
    *(unit(1, n * 0.37, n * n % 5 * 0.23 + n * 0.01) for n in range(6)),
    *(unit(n * 0.29 - 1, 1) for n in range(3)),
)
"""Of two sizes; no two have the same cosine with a third."""
JOINED: dict[str, Any] = {"request_id": RequestId("r"), "reply_to": Address("asker")}


@dataclass
class Everything:
    """Expected order of all rows, by one comparison after the other."""

    rows: dict[str, tuple[IndexRow, str]] = field(default_factory=dict)

    def change(self, message: ChangeRows) -> None:
        for entry_id in message.drop:
            self.rows.pop(entry_id, None)
        for new in message.put:
            vector, model = new.vector, message.model if new.vector else ""
            before = self.rows.get(new.id)
            if not vector and before is not None and before[0].content == new.content:
                is_same = message.model in (before[1], "")
                vector, model = (before[0].vector, before[1]) if is_same else (b"", "")
            self.rows = {name: each for name, each in self.rows.items() if new.path != each[0].path}
            self.rows[new.id] = row(new.id, vector, **{name: getattr(new, name) for name in CHANGED}), model

    def find(self, message: FindRows) -> list[str]:
        return [each for scope in message.scopes for each in self._near(message, scope)]

    def _near(self, message: FindRows, scope: str) -> list[str]:
        question = np.frombuffer(message.vector, "<f4").astype(np.float64)
        found = [
            (-round(cosine(each.vector, question), 9), -each.created_at.timestamp(), each.id)
            for each, model in self.rows.values()
            if (each.conversation, model, len(each.vector)) == (scope, message.model, len(message.vector))
            and each.role in message.roles
            and each.id not in message.without
        ]
        return [name for _, _, name in sorted(found)[: message.per_scope]]


CHANGED = ("path", "digest", "conversation", "role", "created_at", "content")


def cosine(vector: bytes, question: np.ndarray[Any, Any]) -> float:
    other = np.frombuffer(vector, "<f4").astype(np.float64)
    return float(other @ question / np.linalg.norm(other) / np.linalg.norm(question))


names = st.sampled_from([f"n{n}" for n in range(9)])
new_rows = st.builds(
    lambda name, vector, path, scope, role, at, content: row(
        name, vector, path=path, conversation=scope, role=role, created_at=later(at), content=content
    ),
    names,
    st.sampled_from((b"", *VECTORS)),
    names,
    st.sampled_from(CONVERSATIONS),
    st.sampled_from(ROLES),
    st.integers(0, 3),
    st.sampled_from(("x", "y")),
)
changes = st.builds(
    lambda put, drop, model: ChangeRows(put=tuple(put), drop=tuple(drop), model=model, **JOINED),
    st.lists(new_rows, max_size=5),
    st.lists(names, max_size=2),
    st.sampled_from(("m", "m", "m", "n")),
)
questions = st.builds(
    lambda vector, scopes, roles, count, without, model: FindRows(
        vector=vector,
        scopes=tuple(scopes),
        roles=tuple(roles),
        per_scope=count,
        without=tuple(without),
        model=model,
        **JOINED,
    ),
    st.sampled_from(VECTORS),
    st.lists(st.sampled_from(CONVERSATIONS), max_size=3),
    st.lists(st.sampled_from(ROLES), max_size=4),
    st.integers(1, 6),
    st.lists(names, max_size=2),
    st.sampled_from(("m", "m", "m", "n")),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(changes, questions, st.just("live again")), max_size=25), st.sampled_from((1, 3_000, 10**8)))
def test_what_is_found_is_what_a_comparison_with_all_finds(steps: Sequence[Any], most_bytes: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "facts" / "index.sqlite"
        opened: Callable[[], FactStore] = lambda: FactStore(path, AT, most_bytes=most_bytes)  # noqa: E731
        store, wanted = opened(), Everything()
        for step in steps:
            if isinstance(step, ChangeRows):
                store.change(step)
                wanted.change(step)
            elif isinstance(step, FindRows):
                assert [each.id for each in store.find(step)] == wanted.find(step)
            else:
                store.file.close()
                store = opened()
        fetched = store.fetch(FetchRows(ids=tuple(wanted.rows), **JOINED))
        assert [(each.id, each.path, each.content) for each in fetched] == [
            (each.id, each.path, each.content) for each, _ in wanted.rows.values()
        ]
        assert {(each.id, each.model) for each in store.rows()} == {
            (name, model) for name, (_, model) in wanted.rows.items()
        }
        store.file.close()
        assert audit(path) == []


def test_an_index_in_memory_leaves_nothing_and_is_one_of_its_own() -> None:
    stores = [FactStore(None, AT) for _ in range(2)]
    stores[0].change(ChangeRows(put=(row("a", VECTORS[0]),), model="m", **JOINED))

    assert [len(store.rows()) for store in stores] == [1, 0]
    assert all(store.file.is_in_place and store.file.is_new for store in stores)
    for store in stores:
        store.file.tidy()
        store.file.close()
