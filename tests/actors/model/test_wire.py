from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.model.wire import encodable, messages_of, tools_of, without_tool_calls
from domain.turn.bash_tool import BASH_TOOL
from messages.base import Address, RequestId
from messages.model import ChatMessage, ImageFile, ModelRequest, Role, ToolCall, ToolSpec
from tests.actors.model.bench import window


def request(*messages: ChatMessage, system_prompt: str = "") -> ModelRequest:
    return ModelRequest(
        request_id=RequestId("r"),
        reply_to=Address("edge", "test"),
        window=window(),
        system_prompt=system_prompt,
        messages=messages,
        tools=(),
    )


def told_call(name: str, arguments: str) -> dict[str, str]:
    call = ToolCall(id="c", name=name, arguments_json=arguments)
    told = messages_of(request(ChatMessage(role=Role.ASSISTANT, text="", tool_calls=(call,))))
    function: dict[str, str] = told[0]["tool_calls"][0]["function"]
    return function


@pytest.mark.req("S0-94")
def test_well_formed_calls_are_told_again_byte_for_byte() -> None:
    assert told_call("bash", '{ "command":"ls" }') == {"name": "bash", "arguments": '{ "command":"ls" }'}


def test_malformed_arguments_are_told_again_inside_an_object(subtests: pytest.Subtests) -> None:
    """llama.cpp#25510, OpenHands#13949, pentagi#313: a server read the arguments of earlier calls, and never answered."""
    cases: list[str] = ["", "{", "[]", "null", '"x"', "[" * 100_000]
    for arguments in cases:
        with subtests.test(arguments=arguments):
            assert json.loads(told_call("bash", arguments)["arguments"]) == {"malformed": arguments}


def test_names_that_no_server_takes_are_changed(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [("", "unnamed"), ("a b.c", "a_b_c"), ("x" * 100, "x" * 64)]
    for name, told in cases:
        with subtests.test(name=name, told=told):
            assert told_call(name, "{}")["name"] == told


@pytest.mark.req("X-216")
def test_an_image_without_words_is_sent_without_an_empty_part() -> None:
    image = ImageFile(path="attachments/a.png", media_type="image/png")
    for text, kinds in (("", ["image_url"]), (" \n", ["image_url"]), ("see", ["text", "image_url"])):
        message = ChatMessage(role=Role.USER, text=text, images=(image,))
        (said,) = messages_of(request(message), lambda _folder, _image: "data:,")
        assert [part["type"] for part in said["content"]] == kinds


def test_an_empty_system_prompt_is_left_out() -> None:
    assert messages_of(request()) == []
    assert messages_of(request(system_prompt="x")) == [{"role": "system", "content": "x"}]


def test_each_request_has_tools_of_its_own() -> None:
    first = tools_of((BASH_TOOL,))
    first[0]["function"]["parameters"].clear()

    assert tools_of((BASH_TOOL,))[0]["function"]["parameters"]["required"] == ["command"]


def test_parameters_that_are_no_json_are_refused() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        tools_of((ToolSpec(name="x", description="", parameters_json="{"),))


@given(st.text(st.characters() | st.characters(categories=["Cs"])))
def test_every_text_can_be_encoded_and_keeps_its_length(text: str) -> None:
    told = encodable(text)

    assert told.encode() is not None
    assert len(told) == len(text)
    assert encodable(told) == told


def test_where_no_tool_is_offered_earlier_calls_are_told_in_words() -> None:
    call = ToolCall(id="c", name="bash", arguments_json='{"command":"ls"}')
    asked = request(
        ChatMessage(role=Role.USER, text="look"),
        ChatMessage(role=Role.ASSISTANT, text="", tool_calls=(call,)),
        ChatMessage(role=Role.TOOL, text="files", tool_call_id="c"),
        ChatMessage(role=Role.ASSISTANT, text="done"),
    )
    assert messages_of(without_tool_calls(asked)) == [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": '[bash was called: {"command":"ls"}]'},
        {"role": "user", "content": "[result]\nfiles"},
        {"role": "assistant", "content": "done"},
    ]
    offering = msgspec.structs.replace(asked, tools=(BASH_TOOL,))
    assert without_tool_calls(offering) is offering
