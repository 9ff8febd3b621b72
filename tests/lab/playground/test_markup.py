"""The page's rendering of Discord's markdown, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="the page's scripts are run by node, which is not installed here")

LINK = "a href={0} rel=noopener noreferrer"
CASES = {
    # text -> what is shown, with < and > of the text itself as ‹ and ›
    "a\nb": "<p>a\nb</p>",
    "<b onclick=x>&amp;": "<p>‹b onclick=x›&amp;</p>",
    "# One": "<p className=big big1>One</p>",
    "## Two\nx": "<p className=big big2>Two</p><p>x</p>",
    "### Three": "<p className=big big3>Three</p>",
    "#### Four": "<p>#### Four</p>",
    "#none": "<p>#none</p>",
    "a\n-# small *print*\nb": "<p>a</p><p className=small>small <em>print</em></p><p>b</p>",
    "-#none": "<p>-#none</p>",
    "> a\n> b\nc": "<blockquote><p>a\nb</p></blockquote><p>c</p>",
    "> a\n> - b": "<blockquote><p>a</p><ul><li>b</li></ul></blockquote>",
    "> a\n-# f:1\n> b": "<blockquote><p>a</p></blockquote><p className=small>f:1</p><blockquote><p>b</p></blockquote>",
    "x\n>>> a\n\nb": "<p>x</p><blockquote><p>a\n\nb</p></blockquote>",
    ">none": "<p>›none</p>",
    "- a\n- b": "<ul><li>a</li><li>b</li></ul>",
    "* a\n  - b\n    1. c\n* d": "<ul><li>a<ul><li>b<ol start=1><li>c</li></ol></li></ul></li><li>d</li></ul>",
    "3. a\n4. b": "<ol start=3><li>a</li><li>b</li></ol>",
    "- a\n  goes on": "<ul><li>a\ngoes on</li></ul>",
    "- a\nb": "<ul><li>a</li></ul><p>b</p>",
    "-none\n2.none": "<p>-none\n2.none</p>",
    "| a | b |\n|---|---|\n| 1 | 2 |": "<p>| a | b |\n|---|---|\n| 1 | 2 |</p>",
    "*a* _b_ **c** __d__ ~~e~~": "<p><em>a</em> <em>b</em> <strong>c</strong> <u>d</u> <s>e</s></p>",
    "***a***": "<p><em><strong>a</strong></em></p>",
    "**a *b* c**": "<p><strong>a <em>b</em> c</strong></p>",
    "__**a** b__": "<p><u><strong>a</strong> b</u></p>",
    "**a\nb**": "<p><strong>a\nb</strong></p>",
    "snake_case_name 2 * 3 * 4": "<p>snake_case_name 2 * 3 * 4</p>",
    "**open": "<p>**open</p>",
    r"\*a\* \_b\_ \`c\` \||d|| \- \n": r"<p>*a* _b_ `c` ||d|| - \n</p>",
    r"¯\_(ツ)_/¯": r"<p>¯\_(ツ)_/¯</p>",
    "`a **b**` ``c ` d``": "<p><code>a **b**</code> <code>c ` d</code></p>",
    "`` `a` ``": "<p><code>`a`</code></p>",
    "`open": "<p>`open</p>",
    "||a **b**||": ("<p><span className=spoiler role=button><span inert=true>a <strong>b</strong></span></span></p>"),
    "a || b": "<p>a || b</p>",
    "[a *b*](https://example.com/x_(y))": (
        f"<p><{LINK.format('https://example.com/x_(y)')}>a <em>b</em></a>"
        "<small className=host> (example.com)</small></p>"
    ),
    "[https://good.example](https://evil.example)": "<p>[https://good.example](https://evil.example)</p>",
    "[a](javascript:alert(1)) [b](data:x)": "<p>[a](javascript:alert(1)) [b](data:x)</p>",
    "[a](https://%)": "<p>[a](https://%)</p>",
    "(see https://example.com/a_b_c).": f"<p>(see <{LINK.format('https://example.com/a_b_c')}>https://example.com/a_b_c</a>).</p>",
    "<https://example.com>": f"<p><{LINK.format('https://example.com')}>https://example.com</a></p>",
    "<@7> <#8> <@9> <@&5> </ask now:3> @everyone": (
        "<p><span className=mention>@ada</span> <span className=mention>#bot</span> "
        "<span className=mention>@someone</span> <span className=mention>@unknown-role</span> "
        "<span className=mention>/ask now</span> <span className=mention>@everyone</span></p>"
    ),
    "<:party:12> <a:wave:13>": "<p><span className=emoji>:party:</span> <span className=emoji>:wave:</span></p>",
    "<t:0:D>": "<p><time>January 1, 1970</time></p>",
    "<t:0:T>": "<p><time>12:00:00 AM</time></p>",
    "<t:0>": "<p><time>January 1, 1970 at 12:00 AM</time></p>",
    "<t:9999999999999:R> <t:0:x>": "<p>‹t:9999999999999:R› ‹t:0:x›</p>",
    "a\n```py\n*b*\n```\nc": (
        "<p>a</p><div className=block><pre><code>*b*</code></pre><button>Copy</button></div><p>c</p>"
    ),
    "> ```\n> a\n> ```": (
        "<blockquote><div className=block><pre><code>a</code></pre><button>Copy</button></div></blockquote>"
    ),
    "```\n- a\n> b\n```": "<div className=block><pre><code>- a\n› b</code></pre><button>Copy</button></div>",
    "```open": "<p>```open</p>",
}
HOSTILE = ("*" * 4000, "_a " * 1300, "**a" * 1300, "[" * 4000, "||" * 2000, "`" * 4000, "* a\n" * 1000, "> " * 2000)


@pytest.fixture(scope="module")
def page_results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Results of node for all texts, in one run."""
    folder = tmp_path_factory.mktemp("page")
    for entry in (files("lab.playground") / "page").iterdir():
        (folder / entry.name).write_text(entry.read_text())
    (folder / "package.json").write_text('{"type": "module"}')
    script = Path(__file__).with_name("render.mjs")
    run = subprocess.run(
        [str(NODE), str(script), str(folder)],
        input=json.dumps([*CASES, *HOSTILE, "<t:1:R>"]),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env={"TZ": "UTC", "LANG": "en_US.UTF-8", "LC_ALL": "en_US.UTF-8"},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    results: dict[str, object] = json.loads(run.stdout)
    return results


def test_a_text_is_shown_as_discord_shows_it(page_results: dict[str, list[str]], subtests: pytest.Subtests) -> None:
    for text in CASES:
        with subtests.test(text=text):
            rendered = page_results["rendered"][list(CASES).index(text)].replace("\u202f", " ")

            assert rendered == CASES[text]


def test_texts_made_to_hold_it_up_are_all_rendered(page_results: dict[str, list[str]]) -> None:
    assert len(page_results["rendered"]) == len(CASES) + len(HOSTILE) + 1


def test_a_relative_time_tells_how_long_ago_it_is(page_results: dict[str, list[str]]) -> None:
    years = page_results["rendered"][-1]

    assert years.startswith("<p><time className=relative>")
    assert years.endswith(" years ago</time></p>")


def test_a_spoiler_that_is_pressed_is_a_button_no_more(page_results: dict[str, str]) -> None:
    assert page_results["revealed"] == "<span className=spoiler><span>butler</span></span>"
