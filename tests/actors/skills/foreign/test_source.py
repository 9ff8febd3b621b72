"""Archives and folders as sources of skills: read whole, or refused with the value and the rule."""

from __future__ import annotations

import gzip
import io
import os
import stat
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from actors.skills.foreign.package import read_package
from actors.skills.foreign.source import Folder, open_source
from actors.skills.foreign.tar_archive import TarArchive
from actors.skills.foreign.zip_archive import ZipArchive
from tests.actors.skills.foreign.packing import SKILL, TEA, entry, write_folder, write_tar, write_zip

LINK = stat.S_IFLNK | 0o777


def refusal(path: Path) -> str:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - each test looks at the words
        read_package(open_source(path), "tea")
    return str(refused.value)


@pytest.mark.req("X-267")
def test_a_skill_is_the_same_from_a_folder_and_from_each_kind_of_archive(tmp_path: Path) -> None:
    sources = [
        write_folder(tmp_path / "folder"),
        write_zip(tmp_path / "tea.zip"),
        write_zip(tmp_path / "tea.skill"),
        write_tar(tmp_path / "tea.tar.gz"),
        write_tar(tmp_path / "tea.tar", mode="w"),
        write_tar(tmp_path / "odd-name", {f"./{name}": data for name, data in TEA.items()}),
    ]
    whole = tarfile.TarInfo("./")
    whole.type, whole.mode = tarfile.DIRTYPE, 0o755
    inner = {f"./{name.removeprefix('tea/')}": data for name, data in TEA.items()}
    sources.append(write_tar(tmp_path / "packed-inside.tar.gz", inner, (whole,)))
    packages = [read_package(open_source(path)) for path in sources]

    assert {package.name for package in packages} == {"tea"}
    assert all(package.hashes == packages[0].hashes for package in packages)
    assert not any(file.is_executable for file in packages[0].files.values())


def test_programs_are_told_by_their_mode_and_without_modes_by_their_first_line(tmp_path: Path) -> None:
    script = "tea/scripts/boil.py"
    (write_folder(tmp_path / "folder") / script).chmod(0o755)
    sources = [
        tmp_path / "folder",
        write_zip(tmp_path / "a.zip", modes={script: stat.S_IFREG | 0o755}),
        write_zip(tmp_path / "b.zip", modes=dict.fromkeys(TEA, 0)),
    ]
    for source in sources:
        package = read_package(open_source(source), "tea")
        assert [path for path, file in package.files.items() if file.is_executable] == ["scripts/boil.py"]


@pytest.mark.req("X-267")
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        # openclaw/openclaw issue 9512: archives unpacked by tar and unzip, with names that lead out
        ("../../.bashrc", "must not have the part '..'"),
        ("tea/../../x", "must not have the part '..'"),
        ("/etc/cron.d/x", "must be relative"),
        # crewAIInc/crewAI pull request 5867: a sibling that begins alike
        ("../tea-evil/SKILL.md", "must not have the part '..'"),
        # dallay/agentsync pull request 378: absolute names of another system
        ("C:/Users/x/y", "must not begin with a drive's letter"),
        ("tea\\..\\..\\x", "must not hold a backslash"),
        ("tea/a\nb", "must not hold control characters"),
    ],
)
def test_a_name_that_leads_out_refuses_the_whole_archive(tmp_path: Path, name: str, rule: str) -> None:
    assert rule in refusal(write_zip(tmp_path / "a.zip", {**TEA, name: b"x"}))
    assert rule in refusal(write_tar(tmp_path / "a.tar.gz", {**TEA, name: b"x"}))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.gz", "a.zip"]


def test_a_name_of_a_zip_that_ends_at_a_nul_for_some_readers_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", {**TEA, "tea/aXb": b"x"})
    path.write_bytes(path.read_bytes().replace(b"tea/aXb", b"tea/a\0b"))

    assert "must not hold control characters" in refusal(path)


@pytest.mark.req("X-267")
def test_links_devices_and_special_modes_are_refused_in_each_kind_of_source(tmp_path: Path) -> None:
    """dallay/agentsync pull request 373, anvie/evonic pull request 19: links in archives, and names behind them."""
    write_folder(tmp_path / "folder")
    (tmp_path / "folder" / "tea" / "out").symlink_to("/etc")
    tar = [
        entry("tea/out", tarfile.SYMTYPE, "/etc"),
        entry("tea/out", tarfile.LNKTYPE, "/etc/passwd"),
        entry("tea/dev", tarfile.CHRTYPE),
        entry("tea/pipe", tarfile.FIFOTYPE),
        entry("tea/sparse", tarfile.GNUTYPE_SPARSE),
        entry("tea/root", tarfile.REGTYPE, mode=0o4755),
    ]
    rules = ("link 'out'", "link 'out'", "device 'dev'", "pipe 'pipe'", "entry 'sparse'", "mode 4755 of 'root'")

    assert refusal(tmp_path / "folder").startswith("link 'out': links are not allowed")
    assert refusal(write_zip(tmp_path / "a.zip", {**TEA, "tea/out": b"/etc"}, {"tea/out": LINK})).startswith(
        "link 'out'"
    )
    mode = {"tea/root": stat.S_IFREG | 0o4755}
    assert refusal(write_zip(tmp_path / "b.zip", {**TEA, "tea/root": b""}, mode)).startswith("mode 4755 of 'root'")
    for info, rule in zip(tar, rules, strict=True):
        assert refusal(write_tar(tmp_path / "a.tar.gz", others=(info,))).startswith(rule)


def test_a_link_outside_the_chosen_skill_is_no_matter(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a.tar.gz", others=(entry("CLAUDE.md", tarfile.SYMTYPE, "AGENTS.md"),))

    assert read_package(open_source(path)).name == "tea"


@pytest.mark.req("X-267")
def test_what_unpacks_to_too_much_is_refused_before_it_fills_anything(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tar.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"\0" * 3_000_000)
    with pytest.raises(ValueError, match="unpacks to more than 2000000 bytes"):
        TarArchive(path, most_bytes=2_000_000).members()

    many = {f"tea/{number}": b"" for number in range(1_000)}
    assert "at most 1000 are allowed in a skill" in refusal(write_zip(tmp_path / "many.zip", {**TEA, **many}))
    assert "at most 16777216 are allowed" in refusal(
        write_zip(tmp_path / "large.zip", {**TEA, "tea/a": b"\0" * (16 * 1024 * 1024 + 1)})
    )


def test_a_zip_that_lies_about_a_size_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", {**TEA, "tea/a": b"\0" * 5_000})
    size = (5_000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (10).to_bytes(4, "little")))

    assert "cannot be read as a zip file" in refusal(path)


def test_a_zip_with_a_password_or_another_compression_is_refused(tmp_path: Path) -> None:
    """openclaw/clawhub issue 119: what has a password escapes every look."""
    path = write_zip(tmp_path / "a.zip")
    with zipfile.ZipFile(path) as archive:
        offset = archive.start_dir
    data = bytearray(path.read_bytes())
    data[offset + 8] |= 1
    path.write_bytes(data)
    assert "has a password, so it cannot be looked into" in refusal(path)

    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_LZMA) as archive:
        for name, content in TEA.items():
            archive.writestr(name, content)
    assert "has compression 14, only 0 and 8 are allowed" in refusal(tmp_path / "b.zip")


def test_a_zip_whose_list_of_members_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip")
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x05\x06")
    data[at + 12 : at + 16] = (0xFFFFFFF0).to_bytes(4, "little")
    path.write_bytes(data)

    with pytest.raises(ValueError, match="its list of members has 4294967280 bytes, at most 16777216 are allowed"):
        ZipArchive(path).members()


def test_a_large_zip_does_not_hide_its_list_of_members_behind_a_small_end(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip")
    data = path.read_bytes()
    at = data.rindex(b"PK\x05\x06")
    size = 16 * 1024 * 1024 + 1
    large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 3, 3, size, 0)
    place = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)

    path.write_bytes(data[:at] + large + place + data[at:])
    with pytest.raises(ValueError, match="its list of members has 16777217 bytes, at most 16777216 are allowed"):
        ZipArchive(path).members()
    path.write_bytes(data[:at] + large + b"PK" + place + data[at:])
    with pytest.raises(ValueError, match="has no end of a large zip file"):
        ZipArchive(path).members()


def test_a_tar_whose_header_asks_for_all_memory_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 33
    path = tmp_path / "a.tar"
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + b"\0" * 10_240)

    assert "a header or file of" in refusal(path)


@pytest.mark.parametrize("cut", [10, 60, 200, -1])
def test_a_damaged_archive_is_refused(tmp_path: Path, cut: int) -> None:
    for path in (write_zip(tmp_path / "a.zip"), write_tar(tmp_path / "a.tar.gz")):
        path.write_bytes(path.read_bytes()[:cut])
        assert str(path) in refusal(path)


def test_another_file_and_no_file_are_named_with_the_rule(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    os.mkfifo(tmp_path / "pipe")
    assert "must be a folder, or a zip (.skill), tar or tar.gz archive" in refusal(tmp_path / "a.txt")
    assert "cannot be read: No such file or directory" in refusal(tmp_path / "missing")
    assert "cannot be read: it is not a regular file" in refusal(tmp_path / "pipe")


def test_a_folder_of_the_size_of_a_disk_is_not_walked_to_its_end(tmp_path: Path) -> None:
    write_folder(tmp_path, {f"{number}/a": b"" for number in range(20)})
    with pytest.raises(ValueError, match="has more than 10 files and folders"):
        Folder(tmp_path, most_members=10).members()


def test_a_file_that_becomes_a_link_after_the_look_is_not_followed(tmp_path: Path) -> None:
    """aaif-goose/goose pull request 11402: files inside a skill that stand for files outside."""
    folder = Folder(write_folder(tmp_path / "a"))
    folder.members()
    (tmp_path / "secret").write_text("key")
    (tmp_path / "a" / "tea" / "SKILL.md").unlink()
    (tmp_path / "a" / "tea" / "SKILL.md").symlink_to(tmp_path / "secret")

    with pytest.raises(ValueError, match="no part of it may be a link"):
        folder.read(["tea/SKILL.md"])


def test_data_of_git_and_caches_are_left_out_and_counted(tmp_path: Path) -> None:
    extra = {"tea/.git/config": b"x", "tea/scripts/__pycache__/a.pyc": b"x", "__MACOSX/tea/._SKILL.md": b"x"}
    package = read_package(open_source(write_zip(tmp_path / "a.zip", {**TEA, **extra})))

    assert sorted(package.files) == ["SKILL.md", "references/leaves.md", "scripts/boil.py"]
    assert package.left_out == 2


def test_a_tar_in_memory_order_may_hold_a_name_twice_and_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        for data in (b"first", b"second"):
            info = tarfile.TarInfo("tea/a.md")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        info = tarfile.TarInfo("tea/SKILL.md")
        info.size = len(SKILL)
        archive.addfile(info, io.BytesIO(SKILL.encode()))

    assert "is the same as 'a.md'" in refusal(path)
