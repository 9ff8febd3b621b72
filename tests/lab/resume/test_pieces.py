"""Pieces of a campaign: a torn line is none, and two files are one."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.resume.pieces import UNNAMED, Pieces, program_name


def test_pieces_are_read_in_the_order_in_which_they_were_added_and_files_are_added_up(tmp_path: Path) -> None:
    one, other = Pieces(tmp_path / "one"), Pieces(tmp_path / "other")
    assert list(one.read()) == []
    one.add({"first": 1})
    one.add({"first": 2})
    other.add({"first": 3})
    both = tmp_path / "both"
    both.write_bytes((tmp_path / "one").read_bytes() + (tmp_path / "other").read_bytes())
    assert [piece["first"] for piece in Pieces(both).read()] == [1, 2, 3]


def test_a_torn_end_is_no_piece_and_the_next_takes_its_place(tmp_path: Path) -> None:
    pieces = Pieces(tmp_path / "file")
    pieces.add({"first": 1})
    pieces.add({"first": 2})
    whole = (tmp_path / "file").read_bytes()
    (tmp_path / "file").write_bytes(whole[:-3])
    assert [piece["first"] for piece in pieces.read()] == [1]
    pieces.add({"first": 2})
    assert (tmp_path / "file").read_bytes() == whole


@pytest.mark.parametrize("program", ['"program": "0123456789ab", ', ""])
def test_a_piece_of_another_program_is_added_only_on_request_and_named(tmp_path: Path, program: str) -> None:
    file = tmp_path / "file"
    Pieces(file).add({"first": 1})
    with file.open("a") as other:
        other.write(f'{{{program}"first": 2}}\n')

    with pytest.raises(ValueError, match=f"line 2: this is program {program_name()}, and the piece is of"):
        list(Pieces(file).read())
    names = [piece["program"] for piece in Pieces(file, takes_all=True).read()]
    assert names == [program_name(), "0123456789ab" if program else UNNAMED]


def test_a_line_that_is_no_piece_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("[1]\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1: must be one JSON object"):
        list(Pieces(tmp_path / "file").read())
