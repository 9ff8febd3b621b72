"""Words of the facts' answers, for people."""

from __future__ import annotations

from actors.part import Answer, Wording, Words
from messages.facts import EntriesFound, EntriesListed, EntryAdded, EntryForgotten

_QUOTED_CHARS = 160


def _render_added(reply: EntryAdded, _wording: Wording) -> Answer:
    return Answer(f"{reply.id}  {'kept' if reply.is_new else 'there already'}: {reply.path}")


def _render_list(reply: EntriesListed, wording: Wording) -> Answer:
    lines = [
        f"{each.facts:>6} facts {each.turns:>6} turns {each.summaries:>4} summaries  "
        f"{wording.sanitise(each.conversation)}"
        for each in reply.conversations
    ]
    lines += [
        f"{each.id}  {each.created_at:%Y-%m-%d %H:%M}  [{each.role}] {wording.quote(each.content, _QUOTED_CHARS)}"
        for each in reply.entries
    ]
    return Answer("\n".join(lines or ["nothing is kept"]))


def _render_forgotten(reply: EntryForgotten, _wording: Wording) -> Answer:
    status = f"forgotten; its file is now {reply.path}" if reply.path else "forgotten for good"
    along = f"; {reply.derived} derived entries were removed too" if reply.derived else ""
    return Answer(f"{status}{along}" + (f"\n{reply.note}" if reply.note else ""))


def _render_hits(reply: EntriesFound, wording: Wording) -> Answer:
    lines = [
        f"{each.id}  score {each.score:.3f} (relevance {each.relevance:.3f}, recency {each.recency:.3f})  "
        f"[{each.role}] {wording.quote(each.content, _QUOTED_CHARS)}"
        for each in reply.hits
    ]
    note = [wording.note(reply.note)] if reply.note else []
    return Answer("\n".join([*(lines or ["nothing was found"]), *note]))


ADDED = Words(reply=EntryAdded, answer=_render_added)
LISTED = Words(reply=EntriesListed, answer=_render_list)
FORGOTTEN = Words(reply=EntryForgotten, answer=_render_forgotten)
HITS = Words(reply=EntriesFound, answer=_render_hits)
