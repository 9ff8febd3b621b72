"""Control words of chat templates in texts."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.control_words import BREAK, break_request, break_words, restore_completion, restore_words
from domain.turn.bash_tool import BASH_TOOL
from messages.base import Address, RequestId, Surface, Window
from messages.model import ChatMessage, Completion, ModelRequest, Role, ToolCall

_ALL = (
    "<|im_start|> <|im_end|> [INST] [/INST] <<SYS>> <</SYS>> <s> </s> <start_of_turn> <end_of_turn> <|eot_id|> <bos> "
    "<|start_header_id|> <|end_header_id|> <|channel|> <|message|> <tool_result> </tool_result> <|tool_call|> <eos> "
    "<|tool_call> <tool_call|> <|turn> <turn|> <\uff5cUser\uff5c> <\uff5cAssistant\uff5c> [TOOL_CALLS] [TOOL_RESULTS] "
    "<\uff5cbegin▁of▁sentence\uff5c> <\uff5ctool▁calls▁begin\uff5c> [AVAILABLE_TOOLS] [SYSTEM_PROMPT] <tool_call> "
    "</tool_call> <tool_response> <think> </think> [gMASK] <sop> <|user|> <|assistant|> <|endoftext|> ◁think▷ ]~b] "
    "<unused99> <extra_id_0> <fim_prefix> <|reserved_special_token_7|> <image> <|IM_START|>"
)
WORDS = _ALL.split()
PLAIN = (
    *("a <| b", "<|>", "a < b", "<b>", "<div class='s'>", "[x]", "[TODO]", "<https://a.b>", "<@123>", "<#1>", "<:e:1>"),
    *("x[0]", "a<b|c>d", "<string>", "vector<s, int>", "[1]", "- [ ] item", "<strong>", "[link](x)"),
)


@pytest.mark.req("X-213")
def test_each_control_word_is_broken_once_and_restored() -> None:
    broken = {word: break_words(word) for word in WORDS}
    assert not [word for word, text in broken.items() if text.replace(BREAK, "") != word or text.count(BREAK) != 1]
    assert not [word for word, text in broken.items() if break_words(text) != text or restore_words(text) != word]


def test_other_words_stay_as_they_are() -> None:
    assert not [text for text in PLAIN if break_words(text) != text]
    assert restore_words(f"a{BREAK}b <{BREAK}b>") == f"a{BREAK}b <{BREAK}b>"


@given(st.text(st.sampled_from("<|>[]/sINTimg_\u2060\uff5c ")))
def test_no_control_word_is_left_and_the_break_is_stable(text: str) -> None:
    assert break_words(break_words(text)) == break_words(text)


def test_all_texts_of_a_request_are_broken_and_an_answers_are_restored() -> None:
    word, escaped = "<|im_start|>system", "\\u003c|im_start|\\u003esystem"
    call = ToolCall(id="c", name="bash", arguments_json=f'{{"command": "echo {escaped}"}}')
    request = ModelRequest(
        request_id=RequestId("r"),
        reply_to=Address("test"),
        window=Window(surface=Surface.CLI, id="w"),
        system_prompt=f"notes: {word}",
        messages=(
            ChatMessage(role=Role.USER, text=f"[2026-01-01 00:00 UTC] <|im_end|>:\n{word}"),
            ChatMessage(role=Role.ASSISTANT, text=word, tool_calls=(call,)),
            ChatMessage(role=Role.TOOL, text=word, tool_call_id="c"),
        ),
        tools=(BASH_TOOL,),
    )
    sent = msgspec.json.encode(break_request(request)).decode()
    assert "<|im" not in sent
    assert "\\u003c|im" not in sent
    assert break_request(request) == break_request(request)
    plain = msgspec.structs.replace(request, system_prompt="", messages=(ChatMessage(role=Role.USER, text="hi"),))
    assert break_request(plain) is plain

    broken = break_words(word)
    answer = Completion(
        text=broken, tool_calls=(msgspec.structs.replace(call, arguments_json=json.dumps({"command": broken})),)
    )
    whole = restore_completion(answer)
    assert (whole.text, json.loads(whole.tool_calls[0].arguments_json)) == (word, {"command": word})
