from __future__ import annotations

from pathlib import Path

from lab.bench.facts.store import ENTRIES, Entry, fill, read
from lab.bench.facts.words import fact

WHOLE = "---\nid: a\nrole: user\nconversation_id: c\ncreated_at: 2026-01-01T00:00:00Z\n---\nsome\n\nwords\n"


def test_what_is_filled_in_is_read_again_and_read_by_ours(tmp_path: Path) -> None:
    fill(tmp_path, "global", "kept", 3)

    stored = read(tmp_path)

    assert stored.broken == ()
    assert [(entry.role, entry.conversation, entry.body) for entry in stored.entries] == [
        ("memory", "global", fact("kept", number)) for number in range(3)
    ]


def test_half_entries_strange_ones_and_files_of_another_kind_are_broken(tmp_path: Path) -> None:
    path = tmp_path / ENTRIES / "c" / "turns" / "user" / "at__a.md"
    path.parent.mkdir(parents=True)
    strange = (WHOLE.replace("role: user", "role: owner"), WHOLE.replace("id: a", "id: [a"), "x")
    for text in ("", WHOLE[:30], WHOLE[:-12], *strange):
        path.write_text(text)
        assert [each.partition(":")[0] for each in read(tmp_path).broken] == ["entries/c/turns/user/at__a.md"], text
    path.write_text(WHOLE)
    assert read(tmp_path).entries == (Entry("entries/c/turns/user/at__a.md", "user", "c", "some\n\nwords"),)
    (tmp_path / ENTRIES / ".at__a.md.tmp").write_text(WHOLE)
    assert len(read(tmp_path).broken) == 1


def test_entries_in_a_deleted_folder_are_not_live() -> None:
    assert Entry("entries/c/facts/a.md", "memory", "c", "x").is_live
    assert not Entry("entries/c/deleted/facts/a.md", "memory", "c", "x").is_live
    assert not Entry("entries/deleted/c/facts/a.md", "memory", "c", "x").is_live
