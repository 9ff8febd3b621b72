"""Mended requests are valid requests."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from domain.policy.mending import PICTURE_LEFT_OUT, first_kept, mend_request
from domain.policy.refusal import Mend
from messages.base import Address, RequestId, Surface, Window
from messages.model import ChatMessage, ImageFile, ModelRequest, Role, ToolCall

PICTURE = ImageFile(path="attachments/1/a.png", media_type="image/png")
TEXTS = st.text(max_size=300)


@st.composite
def rounds(draw: st.DrawFn) -> list[ChatMessage]:
    images = (PICTURE,) * draw(st.integers(0, 2))
    history = [ChatMessage(role=Role.USER, text=draw(TEXTS), images=images)]
    for number in range(draw(st.integers(0, 2))):
        call = ToolCall(id=f"c{number}", name="bash", arguments_json="{}")
        history.append(ChatMessage(role=Role.ASSISTANT, text="", tool_calls=(call,)))
        history.append(ChatMessage(role=Role.TOOL, text=draw(TEXTS) * 10, tool_call_id=call.id))
    if draw(st.booleans()):
        history.append(ChatMessage(role=Role.ASSISTANT, text=draw(TEXTS)))
    return history


def request(messages: list[ChatMessage]) -> ModelRequest:
    return ModelRequest(
        request_id=RequestId("r"),
        reply_to=Address("test"),
        window=Window(surface=Surface.DISCORD_THREAD, id="1"),
        system_prompt="Be brief.",
        messages=tuple(messages),
        tools=(),
    )


@given(st.lists(rounds(), min_size=1, max_size=6), st.integers(0, 3000))
def test_a_mended_request_is_valid(history: list[list[ChatMessage]], most_tokens: int) -> None:
    messages = [*itertools.chain(*history), ChatMessage(role=Role.USER, text="the newest")]
    mended = mend_request(request(messages), Mend, most_tokens).request.messages
    open_calls: list[str] = []
    for message in mended:
        open_calls += [call.id for call in message.tool_calls]
        if message.role is Role.TOOL:
            open_calls.remove(message.tool_call_id)
        assert message.text.strip() or message.tool_calls or message.role is Role.TOOL
        assert not message.images
    assert open_calls == []
    pairs = itertools.pairwise(message.role for message in mended)
    assert all(a is not b or a is Role.TOOL for a, b in pairs)
    assert mended[-1].role is Role.USER
    assert mended[-1].text.endswith("the newest")


def test_a_picture_is_replaced_by_a_line() -> None:
    mended = mend_request(request([ChatMessage(role=Role.USER, text="look", images=(PICTURE,))]), [Mend.PICTURES], 0)
    assert mended.request.messages[0].text == f"look\n{PICTURE_LEFT_OUT}"
    assert mended.left_out() == "1 picture"


def test_no_history_begins_with_the_answer_to_a_wish() -> None:
    history = [
        ChatMessage(role=Role.USER, text="when? " + "word " * 200),
        ChatMessage(role=Role.ASSISTANT, text="EXPAND path=logs/a.md line=7"),
        ChatMessage(role=Role.USER, text="the record"),
        ChatMessage(role=Role.ASSISTANT, text="EXPAND your mind; that is no wish"),
        ChatMessage(role=Role.USER, text="and?"),
    ]
    assert first_kept(request(history), 0) == 4
    assert first_kept(request(history[:3]), 0) == 0
