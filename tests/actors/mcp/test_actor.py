"""Requests to a real server in a real sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from messages.base import Surface, Window
from messages.model import SPENT, CallKind, CallOutcome, CallSpent
from messages.web import (
    CallTool,
    DescribeServer,
    GetPrompt,
    ListPrompts,
    ListResources,
    ListTools,
    ReadResource,
    ServerAnswered,
    ServerDescribed,
    ServerListed,
    ToolsListed,
)
from tests.actors.mcp.bench import HERE, Bench, small, window
from tests.actors.mcp.small_server import TOOLS
from tests.patience import eventually

MakeBench = Callable[..., Bench]


@pytest.mark.req("X-259")
def test_tools_are_listed_found_described_and_called(bench: Bench) -> None:
    every = bench.get(ListTools)
    assert isinstance(every, ToolsListed)
    assert [(each.name, each.title, each.tools, each.fault) for each in every.servers] == [
        ("small", "small 1", len(TOOLS), "")
    ]
    assert [tool.name for tool in every.tools] == list(TOOLS)
    assert every.tools[0].description == "Say a text."

    found = bench.get(ListTools, words="a picture please")
    assert [tool.name for tool in found.tools] == ["picture"]

    tool = bench.get(DescribeServer, server="small", tool="say")
    assert isinstance(tool, ServerDescribed)
    assert "It comes back as it went." in tool.text
    assert '"required"' in tool.text
    server = bench.get(DescribeServer, server="small")
    assert server.text.startswith("small (small 1)\nA server for tests.\n\nsay: Say a text.\n")

    assert bench.call("say", '{"text": "hello"}') == "hello"
    assert bench.figures()["calls"] == 1


@pytest.mark.req("X-259")
def test_each_act_on_a_server_is_published_for_the_ledger(bench: Bench) -> None:
    bench.edge.follow(SPENT)
    bench.get(ListTools)
    bench.call("say", '{"text": "hello"}')
    bench.refusal(CallTool, server="small", tool="nothing")
    bench.refusal(CallTool, server="other", tool="say")
    spent = [each for each in bench.edge.drain() if isinstance(each, CallSpent)]
    assert [(each.kind, each.model, each.owner, each.outcome, each.cost_usd) for each in spent] == [
        (CallKind.TOOL, "mcp/small", window().address.key, outcome, 0.0)
        for outcome in (CallOutcome.ANSWERED, CallOutcome.FAILED)
    ]


@pytest.mark.req("X-259")
def test_resources_and_prompts_are_listed_and_read(bench: Bench) -> None:
    resources = bench.get(ListResources, server="small")
    assert isinstance(resources, ServerListed)
    assert [item.name for item in resources.items] == ["note://one", "note://{name}"]
    read = bench.get(ReadResource, server="small", uri="note://two")
    assert isinstance(read, ServerAnswered)
    assert read.parts[0].text == "note note://two"

    prompts = bench.get(ListPrompts, server="small")
    assert [(item.name, item.description) for item in prompts.items] == [("greet", "[whom]")]
    prompt = bench.get(GetPrompt, server="small", name="greet", arguments='{"whom": "Ann"}')
    assert [part.text for part in prompt.parts] == ["[user]", "Greet Ann."]
    assert "KeyError: 'whom'" in bench.refusal(GetPrompt, server="small", name="greet", arguments="")


@pytest.mark.req("X-260")
def test_what_cannot_be_asked_is_refused_with_value_rule_and_the_nearest_name(bench: Bench) -> None:
    assert "server 'smal': there is none of that name here; did you mean small?" in bench.refusal(
        CallTool, server="smal", tool="say"
    )
    assert "did you mean say?" in bench.refusal(CallTool, server="small", tool="sayy")
    assert 'arguments: "text" is required' in bench.refusal(CallTool, server="small", tool="say")
    assert "arguments.text = 3: must be string" in bench.refusal(
        CallTool, server="small", tool="say", arguments='{"text": 3}'
    )
    assert "must be JSON" in bench.refusal(CallTool, server="small", tool="say", arguments="{")
    assert "must be a JSON object" in bench.refusal(CallTool, server="small", tool="say", arguments="[]")
    half = r'{"whom": "\ud800"}'
    assert "must be JSON" in bench.refusal(GetPrompt, server="small", name="greet", arguments=half)


def test_answers_are_clean_and_files_have_safe_names(bench: Bench) -> None:
    assert bench.call("steer") == "abc"
    picture = bench.get(CallTool, server="small", tool="picture")
    (part,) = picture.parts
    assert (part.name, part.media_type, part.data) == ("small-picture.png", "image/png", b"\x89PNG not really")
    failed = bench.get(CallTool, server="small", tool="fail")
    assert (failed.is_error, failed.parts[0].text) == (True, "no luck")


@pytest.mark.req("X-261")
def test_a_server_that_ends_fails_its_call_with_its_last_words_and_the_next_call_starts_it_anew(bench: Bench) -> None:
    reason = bench.refusal(CallTool, server="small", tool="end")

    assert "it ended with exit code 3: the last words" in reason
    assert bench.call("say", '{"text": "again"}') == "again"
    assert bench.figures()["small"] == "open, 2 starts"


@pytest.mark.req("X-261")
def test_a_server_that_hangs_fails_its_call_at_the_deadline_and_others_are_served_meanwhile(
    make_bench: MakeBench,
) -> None:
    bench = make_bench(small("slow", timeout_s=6.0), small("other"))
    assert bench.call("say", '{"text": "a"}', server="slow") == "a"

    hanging = bench.ask(CallTool, server="slow", tool="hang")
    assert bench.call("say", '{"text": "b"}', server="other") == "b"
    assert "no answer within 6 s" in bench.reply(hanging).reason
    assert bench.call("say", '{"text": "c"}', server="slow") == "c"


@pytest.mark.req("X-261")
def test_a_server_that_floods_ends_and_others_are_served_meanwhile(make_bench: MakeBench) -> None:
    bench = make_bench(small("loud"), small("other"))

    flooding = bench.ask(CallTool, server="loud", tool="flood")
    assert bench.call("say", '{"text": "b"}', server="other") == "b"
    assert "a message of more than" in bench.reply(flooding).reason


@pytest.mark.req("X-261")
def test_a_storm_of_notifications_and_requests_changes_no_answer(bench: Bench) -> None:
    assert bench.call("noise") == "done"
    assert bench.call("say", '{"text": "b"}') == "b"


def test_new_tools_of_a_server_are_known_at_the_next_request(bench: Bench) -> None:
    assert "late" not in bench.get(DescribeServer, server="small").text
    assert bench.call("grow") == "done"
    assert bench.call("late") == "done"


def test_a_server_without_calls_is_ended(make_bench: MakeBench) -> None:
    bench = make_bench(idle_s=0.2)
    assert bench.call("say", '{"text": "a"}') == "a"

    eventually(lambda: bench.figures()["small"] == "closed, 1 starts")
    assert bench.call("say", '{"text": "b"}') == "b"


def test_a_server_that_cannot_start_is_told_with_the_reason(make_bench: MakeBench) -> None:
    bench = make_bench(small("none", command=("no-such-program",)), small("gone", reads=("/no/such/folder",)), small())

    assert "it did not start: it ended with exit code 1: no-such-program: No such file" in bench.refusal(
        CallTool, server="none", tool="say"
    )
    listed = bench.get(ListTools)
    faults = {each.name: each.fault for each in listed.servers}
    assert "/no/such/folder is not a folder" in faults["gone"]
    assert faults["small"] == ""
    assert {tool.server for tool in listed.tools} == {"small"}


@pytest.mark.req("X-262")
def test_a_server_sees_its_program_its_variables_and_nothing_of_the_agent(make_bench: MakeBench) -> None:
    bench = make_bench(small(environment=(("TOKEN", "word"),)))

    seen = json.loads(bench.call("look"))
    assert seen["environment"]["TOKEN"] == "word"
    assert set(seen["environment"]) <= {
        "TOKEN",
        "PATH",
        "HOME",
        "LANG",
        "PWD",
        "SHLVL",
        "_",
        "TZ",
        "LC_CTYPE",
        "OLDPWD",
    }
    assert set(seen["seen"]["/tmp"]) <= set(HERE.parts)
    assert "home" not in seen["seen"]["/"] or "home" in HERE.parts


@pytest.mark.req("X-262")
def test_a_conversation_uses_the_servers_of_its_channels_only(make_bench: MakeBench) -> None:
    places = {window(1).id: ("111111111111111111",)}
    bench = make_bench(small("a", channels=frozenset({"111111111111111111"})), small("b"), places=places)

    assert [each.name for each in bench.get(ListTools, of=window(1)).servers] == ["a", "b"]
    assert [each.name for each in bench.get(ListTools, of=window(2)).servers] == ["b"]
    assert "server 'a': there is none of that name here" in bench.refusal(
        CallTool, server="a", tool="say", of=window(2)
    )
    cli = Window(surface=Surface.CLI, id="turn")
    assert [each.name for each in bench.get(ListTools, of=cli).servers] == ["a", "b"]


@pytest.mark.req("X-262")
def test_no_server_is_given_a_folder_that_is_the_agents_or_holds_one_of_the_agents(
    make_bench: MakeBench, tmp_path: Path
) -> None:
    for folder in ("data", "work"):
        (tmp_path / folder).mkdir(exist_ok=True)
    bench = make_bench(
        small("reader", reads=(str(tmp_path / "data"),)),
        small("writer", writes=(str(tmp_path / "work"),)),
        small("above", reads=(str(tmp_path),)),
    )

    for each in bench.get(ListTools).servers:
        assert "must neither hold the agent's own folders nor lie in one" in each.fault, each.name


@pytest.mark.req("X-262")
def test_a_server_changes_the_folders_of_its_settings_only(make_bench: MakeBench, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    bench = make_bench(small(writes=(str(notes),)))

    assert bench.call("write", json.dumps({"path": str(notes / "a.txt")})) == "written"
    assert (notes / "a.txt").read_text() == "x"
    assert "Read-only" in bench.call("write", json.dumps({"path": str(HERE / "a.txt")}))
    assert not (HERE / "a.txt").exists()
