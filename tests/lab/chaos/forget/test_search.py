from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

from lab.chaos.forget.search import make_string, search, search_open_files

ONE, OTHER = make_string(random.Random(1)), make_string(random.Random(2))


def test_a_string_is_found_in_bytes_names_links_and_in_either_half(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "data").write_bytes(b"\0\xff" + ONE.upper().encode() + b"\0")
    (tmp_path / "half").write_bytes(ONE[12:].encode() + b"page" + ONE[:3].encode())
    (tmp_path / f"{OTHER}.txt").touch()
    (tmp_path / "link").symlink_to(f"nowhere/{ONE}")

    matches = search(tmp_path, {ONE, OTHER, make_string(random.Random(3))})

    assert matches == {ONE: {"folder/data", "half", "link"}, OTHER: {f"{OTHER}.txt"}}


def test_a_string_is_found_in_a_file_without_a_name_while_a_process_has_it_open() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"\0" + ONE.encode())
        file.flush()
        assert search_open_files(os.getpid(), {ONE, OTHER}) == {ONE}
    assert search_open_files(os.getpid(), {ONE, OTHER}) == set()


def test_strings_differ_and_are_words_for_every_index() -> None:
    chance = random.Random(0)
    strings = {make_string(chance) for _ in range(1_000)}

    assert len(strings) == 1_000
    assert all(each.isalpha() and each.islower() and len(each) == 24 for each in strings)
