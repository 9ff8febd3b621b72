from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.objects.observing import MOST_NAMES, MOST_PATTERNS, Observed, observe
from domain.objects.path import is_plain
from tests.pace import paced_s

ROOT = "/data/work/w"
SCRIPT = "/opt/layers/objects/context-objects/scripts/objects.py"
BOUND_S = 0.02
"""On a busy machine; 3 ms on an idle one."""


def look(command: str, output: str = "") -> Observed:
    return observe(command, output, ROOT)


@pytest.mark.req("S3-40", "S3-59")
def test_a_command_names_files(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[str]]] = [
        ("cat a.txt", ["a.txt"]),
        ("cat ./a.txt d/../b.txt", ["a.txt", "b.txt"]),
        (f"cat {ROOT}/a.txt", ["a.txt"]),
        ("cat /etc/passwd ../a ~/b /data/work/w2/c", []),
        ("cd d && cat a.txt", ["d/a.txt"]),
        ("cd d; cd ..; cat a.txt", ["a.txt"]),
        ("cd d && cd && cat a.txt", ["a.txt"]),
        ("(cd d && cat a); cat b", ["d/a", "b"]),
        ("cat 'a b' \"c d\" e\\ f", ["a b", "c d", "e f"]),
        ('cat "$X" $(ls) `ls` a$X', []),
        ("X=1 LANG=C sudo cat a", ["a"]),
        ("timeout 5 cat a", ["a"]),
        ("sed -i s,x,y, a", ["a"]),
        ("echo x > a; echo y >> b; tee c < d", ["a", "b", "d", "c", "x", "y"]),
        ("echo x 2>err >out", ["err", "out", "x"]),
        ("echo x >&2 <<< here", ["x"]),
        ("cat > a <<EOF\nsed -i b c\nEOF\ncat d", ["a", "d"]),
        ("cat > a <<-'E F'\nx", ["a"]),
        ("bash -c 'cd d && cat a'", ["d/a"]),
        ("python3 run.py --out=res.json -v", ["run.py", "res.json"]),
        ("# cat a\ncat b # c", ["b"]),
        ("cat a\\\nb", ["ab"]),
        ("mv a d/b", ["a", "d/b"]),
        ("if test -f a; then cat b; fi", ["a", "b"]),
        ("cat 'a", ["a"]),
        ("", []),
        ("cat", []),
    ]
    for command, names in cases:
        with subtests.test(command=command, names=names):
            observed_names = observe(command, "", ROOT).names
            assert [name for name in names if name not in observed_names] == []
            assert set(observed_names) <= set(names)


def test_names_are_what_may_be_a_file_and_reads_what_is_read(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("cat a b", "a b", "a b"),
        ("cat ./a src//b src/../c", "a src/b c", "a src/b c"),
        (f"cat {ROOT}/a {ROOT}x/b /etc/passwd ../c ..", "a", "a"),
        ("cat a a ./a", "a", "a"),
        ("stat a; cat a", "a", "a"),
        ("cat -n a --number b - -- c", "a b c", "a b c"),
        ("head -n 5 a | tail -2", "5 a", "5 a"),
        ("sed -n '1,5p' a", "a", "a"),
        ("sed -n -e 1p -e 2p a", "a", "a"),
        ("sed --expression=1p a", "1p a", "a"),
        ("sed -f s a", "s a", "s a"),
        ("sed -i s/a/b/ a", "a", ""),
        ("sed -i.bak -E s/a/b/ a", "a", ""),
        ("sed -Ei s/a/b/ a", "a", ""),
        ("sed --in-place=.b s/a/b/ a", ".b a", ""),
        ("perl -pi -e s/a/b/ a", "a", ""),
        ("awk '{print}' a b", "a b", "a b"),
        ("jq .x a", "a", "a"),
        ("grep -rn words src a", "src a", "src a"),
        ("grep -e words a", "a", "a"),
        ("grep -f words a", "words a", "words a"),
        ("sort a -o b", "a b", "a b"),
        ("diff -i a b", "a b", "a b"),
        ("python3 a.py b c", "a.py b c", "a.py b c"),
        ("python3.11 -u a.py -c b", "a.py b", "a.py b"),
        ("python3 -c 'print(1)' b", "b", ""),
        ("python -m pytest tests/a.py", "tests/a.py", ""),
        ("bash -e a.sh", "a.sh", "a.sh"),
        ("./a.sh b", "a.sh b", ""),
        ("a b", "b", ""),
        ("mv a b && cp c d; rm e; touch f; git add g", "a b c d e f add g", ""),
        ("echo x > a; echo y >> b; echo z | tee c", "x a y b z c", ""),
        ("cat < a > b 2> c 2>&1 2>/dev/null", "a b c", "a"),
        ("> a cat b", "a b", "b"),
        ("cat > a <<'E'\ncat b\nE\ncat c", "a c", "c"),
        ("cat <<< a", "", ""),
        ("dd if=a of=b", "if=a a of=b b", ""),
        ("tool --file=a --x=", "a", ""),
        ("X=a Y=b cat c", "c", "c"),
        ("X=a", "", ""),
        ('cat $a ${b} $(c d) `e` ~/f ~g "$h" i', "i", "i"),
        ("curl https://x.org/a -o b", "b", ""),
        ("cat 'a b' c\\ d \"e'f\"", "a b|c d|e'f", "a b|c d|e'f"),
        ("cat é 日本.txt", "é 日本.txt", "é 日本.txt"),
        ("cat 'a\nb' $'c' 'd\x1be'", "c", "c"),
        ("if [ -f a ]; then cat b; else head c; fi", "a ] b c", "b c"),
        ("! cat a", "a", "a"),
        ("{ cat a; }", "a", "a"),
        ("sudo -E env X=1 nice -n 5 timeout 10s cat a", "a", "a"),
        ("xargs -n1 cat a", "a", "a"),
        ("time cat a", "a", "a"),
        ("/bin/cat a", "a", "a"),
        ("cat a|head;cat b&&cat c", "a b c", "a b c"),
        ("diff <(sort a) b", "a b", "a"),
        ("cat {a,b}.txt", "a.txt b.txt", "a.txt b.txt"),
        ("for x in a b; do echo c; done", "a b c", ""),
        ("for x in a b; do echo $x; done; cat c", "a b c", "c"),
        ("cat a >& b 2>&- <&3", "a b", "a"),
        ("cat > 1", "1", ""),
        ('for x in a b; do cat "$x"; done', "a b", "a b"),
        ("bash -lc 'cat a'", "a", "a"),
        ("sh -c \"cd d && bash -c 'cat a'\"; cat b", "d/a b", "d/a b"),
        ("cat", "", ""),
        ("cat .", "", ""),
        ("", "", ""),
    ]
    for command, names, reads in cases:
        with subtests.test(command=command, names=names, reads=reads):
            between = "|" if "|" in names else None

            assert list(look(command).names) == names.split(between)
            assert list(look(command).reads) == reads.split(between)


def test_a_name_is_meant_in_the_folder_that_the_command_went_to(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[str]]] = [
        ("cd d && cat a", ["d/a"]),
        ("cd d; cat a", ["d/a"]),
        ("cd d\ncat a", ["d/a"]),
        ("cd d || test exit; cat a", ["d/exit", "d/a"]),
        ("cd d && cd e && cat a ../b", ["d/e/a", "d/b"]),
        ("cd -P d && cat a", ["d/a"]),
        ("cd -- d && cat a", ["d/a"]),
        ("(cd d && cat a); cat b", ["d/a", "b"]),
        ("((cd d; (cd e; cat a); cat b)); cat c", ["d/e/a", "d/b", "c"]),
        ("cd d; cat a; cd -; cat b", ["d/a", "b"]),
        ("cd d; cat a; cd ..; cat b", ["d/a", "b"]),
        ("cd ..; cat a w/b", ["b"]),
        (f"cd {ROOT}/d && cat a", ["d/a"]),
        (f"cd /etc && cat passwd {ROOT}/a", ["a"]),
        (f"cd /etc && cd && cat a {ROOT}/b", ["a", "b"]),
        (f"cd $x && cat a {ROOT}/b", ["b"]),
        ("cd d && cd ~ && cat a", ["a"]),
        ("cd ~/d && cat a", []),
        ("cd d* && cat a", []),
        ("cd d; cd ''; cat a", ["d/a"]),
        ("cd $x; cd d; cat a", []),
        (f"cd $x; cd {ROOT}/d; cat a", ["d/a"]),
        ("pushd d; cat a", ["d/a"]),
        (")); cat a", ["a"]),
        ("cd d > x && cat a", ["x", "d/a"]),
    ]
    for command, names in cases:
        with subtests.test(command=command, names=names):
            assert list(look(command).names) == names


def test_a_folder_may_have_a_slash_at_its_end_or_be_the_root() -> None:
    assert observe("cat a /data/b", "", "/data/").names == ("a", "b")
    assert observe("cat a /data/b", "", "/").names == ("a", "data/b")


def test_patterns_are_told_and_not_expanded(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[str], list[str]]] = [
        ("cat *.py src/?.txt", ["*.py", "src/?.txt"], ["*.py", "src/?.txt"]),
        ("cd d && rm ./*", ["d/*"], []),
        (f"cat {ROOT}/*.md /etc/* ../*", ["*.md"], ["*.md"]),
        ("cat '*'", [], []),
        ("cat 'a*'/*", ["a[*]/*"], ["a[*]/*"]),
        ("rm *.py; cat *.py", ["*.py"], ["*.py"]),
        ("for x in *.py; do head $x; done", ["*.py"], ["*.py"]),
        ("grep a.*b --include=*.py d", [], []),
    ]
    for command, patterns, reads in cases:
        with subtests.test(command=command, patterns=patterns, reads=reads):
            assert list(look(command).patterns) == patterns
            assert list(look(command).read_patterns) == reads
            assert not {*"*?["} & {*"".join(look(command).names).replace("*", "", "'*'" in command)}


@pytest.mark.req("S3-24", "S3-39")
def test_listings_name_files(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, set[str]]] = [
        ("ls", "a\nb", {"a", "b"}),
        ("ls d", "a", {"d/a"}),
        (
            "ls -l d",
            "total 4\n-rw-r--r-- 1 me us 12 Nov 25 08:37 a b\nlrwxrwxrwx 1 m u 1 Nov 25 2025 l -> x",
            {"d/a b"},
        ),
        ("find . -type f", "./a\n./d/b", {"a", "d/b"}),
        ("cd d && find", "./a", {"d/a"}),
        ("grep -rn x .", "a:3:x\nd/b:4:x: y\nBinary file c matches", {"a", "d/b"}),
        ("git grep -l x", "a\nb", {"a", "b"}),
        ("rg --files", "a\nd/b", {"a", "d/b"}),
        ("cat a", "b\nc", set()),
        ("find / -name x", "/etc/x\n/data/work/w/y\n../z", {"y"}),
    ]
    for command, output, listed in cases:
        with subtests.test(command=command, output=output, listed=listed):
            assert set(observe(command, output, ROOT).listed) == listed


def test_what_is_listed_is_told(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, list[str]]] = [
        ("ls", "a\nb", ["a", "b"]),
        ("ls -la src", "total 4\n-rw-r--r-- 1 root root 1234 May  1 12:00 a b", ["src/a b"]),
        ("cd d && ls e | head -3", "a", ["d/e/a"]),
        ("ls src/*", "src/a", ["src/a"]),
        ("ls $x", "a", ["a"]),
        ("(cd d; find . -type f)", "./a", ["d/a"]),
        ("find . | xargs grep -l words", "./a:b", ["a:b"]),
        ("grep -rn words .", "./a:1:x\nb", ["a"]),
        ("grep -rl words", "a\nb:c", ["a", "b:c"]),
        ("rg --files", "a", ["a"]),
        ("rg words", "a:x", ["a"]),
        ("git grep words", "a:x\nb", ["a"]),
        ("git ls-files", "a", ["a"]),
        ("git diff --name-only", "a", ["a"]),
        ("git status --short", " M a", ["a"]),
        ("git status", "\tmodified: a", []),
        ("git", "a", []),
        ("fd words", "a", ["a"]),
        ("tree -f", "├── ./a", ["a"]),
        ("tree", "├── a", []),
        ("cat a", "b", []),
        ("cd $x; ls", "a", []),
        ("", "a", []),
    ]
    for command, output, names in cases:
        with subtests.test(command=command, output=output, names=names):
            assert list(look(command, output).listed) == names


def test_a_plain_cat_prints_one_file_whole(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("cat a", "a"),
        ("cat 'a b'", "a b"),
        ("  cat ./d/a ;\n", "d/a"),
        ("cd d && cat a", "d/a"),
        ("cd d; cd e\ncat a", "d/e/a"),
        (f"cat {ROOT}/a", "a"),
        ("cat a # the first", "a"),
        ("cat a b", ""),
        ("cat", ""),
        ("cat -n a", ""),
        ("cat -", ""),
        ("cat *", ""),
        ("cat $a", ""),
        ("cat /etc/passwd", ""),
        ("cat a | head", ""),
        ("cat a > b", ""),
        ("cat < a", ""),
        ("cat a &", ""),
        ("(cat a)", ""),
        ("cat a; cat b", ""),
        ("echo x && cat a", ""),
        ("cd d || cat a", ""),
        ("cd d > x; cat a", ""),
        ("head a", ""),
        ("cat a; cd d", "a"),
        ("bash -c 'cd d && cat a'", "d/a"),
        ("cd d; sh -c 'cat a'", "d/a"),
        ("bash -c 'cat a; cat b'", ""),
        ("bash -c 'cat a' | head", ""),
        ("bash a.sh", ""),
        ("X=1 cat a", ""),
        ("cat a 'b", ""),
        ("cat a" + " " * 30_000 + "b", ""),
        ("", ""),
    ]
    for command, whole in cases:
        with subtests.test(command=command, whole=whole):
            assert look(command).whole == whole


def test_a_command_that_only_runs_the_script_manages(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        f"{SCRIPT} list",
        f"python3 {SCRIPT} read a.txt",
        f"cd d && {SCRIPT} pin f1; {SCRIPT} unpin f2\n",
        f"{SCRIPT} list 2>&1",
        f"{SCRIPT} list 2>/dev/null || {SCRIPT} list --files",
        f"timeout 5 '{SCRIPT}' show f1",
        f"python3 -I {SCRIPT} list",
        f"python3 -I -B {SCRIPT} show f1 | head -n 40",
        f"{SCRIPT} list | head",
        f"{SCRIPT} list 2>&1 | tail -5; {SCRIPT} pin f1",
    ]
    for command in cases:
        with subtests.test(command=command):
            assert look(command).manages


def test_any_other_command_does_not(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "cd d",
        "cat a",
        f"cat {SCRIPT}",
        f"{SCRIPT} list; cat a",
        f"{SCRIPT} list | head a",
        f"{SCRIPT} list | head > a",
        f"{SCRIPT} list | grep a",
        f"cat a | head; {SCRIPT} list",
        f"python3 -m x {SCRIPT} list",
        f"{SCRIPT} list > a",
        f"{SCRIPT} show < a",
        f"{SCRIPT} activate $(cat a)",
        f'{SCRIPT} activate "`cat a`"',
        f"{SCRIPT} list &",
        f"({SCRIPT} list)",
        f"{SCRIPT} list <<E\nx\nE",
        f"echo {SCRIPT}",
        f"python3 -c x {SCRIPT}",
        f"{SCRIPT} list 'a",
        f"{SCRIPT} list" + " " * 30_000 + "; cat a",
        f"{SCRIPT}x list",
        "context-objects/scripts/objects.py list",
        "/opt/other-objects/scripts/objects.py list",
    ]
    for command in cases:
        with subtests.test(command=command):
            assert not look(command).manages


def test_so_many_names_and_patterns_are_told() -> None:
    command = "rm " + " ".join(f"{n} *{n}" for n in range(MOST_NAMES + 9)) + "\ncat 0 *0"

    assert len(look(command).names) == MOST_NAMES
    assert len(look(command).patterns) == MOST_PATTERNS
    assert (look(command).reads, look(command).read_patterns) == (("0",), ("*0",))


def test_shells_within_shells_are_read_to_a_bound() -> None:
    assert look('bash -c "bash -c \'bash -c \\"cat a\\"\'"').names == ()
    assert len(look(";".join(f"sh -c 'cat {n}'" for n in range(99))).names) == 20


ODD = st.text("abcd./ '\"\\$`;&|()<>{},*?[]#~\n\t=-0\x00\x1b\ud800é", max_size=80)
WORDS = st.lists(
    st.sampled_from(
        [
            "cat",
            "cd",
            "ls",
            "a",
            "..",
            "/etc",
            ROOT,
            "&&",
            "|",
            ";",
            "(",
            ")",
            "<<E",
            "\n",
            "E",
            ">",
            "'",
            '"',
            "$(",
            "*",
            "-i",
            "for",
            "sh",
            "-c",
            SCRIPT,
            "x=y",
        ]
    ),
    max_size=25,
).map(" ".join)


@given(ODD | WORDS | st.text(max_size=80), ODD | WORDS | st.text(max_size=80))
def test_any_command_is_taken_and_every_path_is_plain(command: str, output: str) -> None:
    observed_look = look(command, output)

    assert observed_look == look(command, output)
    paths = (
        *observed_look.names,
        *observed_look.listed,
        *observed_look.patterns,
        *([observed_look.whole] if observed_look.whole else []),
    )
    assert [path for path in paths if not is_plain(path)] == []
    assert {*observed_look.reads} <= {*observed_look.names}
    assert {*observed_look.read_patterns} <= {*observed_look.patterns}
    assert not observed_look.whole or observed_look.names == observed_look.reads == (observed_look.whole,)


HOSTILE = {
    name: (piece * (100_000 // len(piece) + 1))[:100_000]
    for name, piece in {
        "substitutions": "$(", "brackets": "(", "ends": ";", "words": "a ", "double quotes": '"', "single quotes": "'",
        "escapes": "\\", "backticks": "`", "here-documents": "<<a ", "lines": "\n", "tabs": "\t", "braces": "{a,b}",
        "commas": "{,,,,", "wild": "*?[", "folders": "cd a;", "ways up": "cd ..;", "shells": "sh -c 'cat a b';",
        "open shells": "bash -c '", "unicode": "\u202e日\ud800\0", "one word": "x", "deep": "a/", "equals": "a=",
        "comments": " #", "redirections": ">a", "tildes": "~ ", "nested quotes": '"$(cat "', "sums": "$((1+(2)))",
        "mixed": "'a\"b`c$(d\\", "loops": "for x in a;", "dashes": "- ", "long options": "sed -e", "tabbed": "<<-E\n\tE\n",
        "beginnings": "<<ab\n" + "a\n" * 50_000, "listings": "ls a;grep b;", "assignments": "a=b ",
    }.items()
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_command_costs_little(name: str) -> None:
    assert paced_s(lambda: look(HOSTILE[name]), tries=5, enough_s=BOUND_S) < BOUND_S


def test_what_follows_the_bound_is_not_looked_at(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["words", "double quotes", "braces", "mixed"]
    for name in cases:
        with subtests.test(name=name):
            assert look("cat a;" + HOSTILE[name] + "\ncat b").names[:1] == ("a",)
            assert "b" not in look("cat a;" + HOSTILE[name].replace("b", "c") + "\ncat b").names


def test_so_many_listings_are_told_apart() -> None:
    assert look(";".join(f"ls {n}" for n in range(9)), "a").listed == ("0/a", "1/a", "2/a", "3/a")


def test_a_hostile_output_costs_little() -> None:
    command = "ls -la x; find .; grep -rn x; git ls-files"
    lines = ["a/" * 100 + "b", "-rw-r--r-- 1 a b 5 May  1 12:00 x", ":" * 200, " " * 200, "1 " * 100, "x" * 100_000]
    for line in lines:
        output = (f"{line}\n" * 20_000)[:2_000_000]
        assert paced_s(partial(look, command, output), tries=3, enough_s=10 * BOUND_S) < 10 * BOUND_S, line[:20]
