"""Control words of chat templates in foreign text: broken for servers that read the words as borders of roles.

A server that renders a template and tokenizes the result (vLLM, llama.cpp and similar) reads `<|im_start|>` in a
message as the beginning of another message. An invisible character within the word prevents this reading. Only requests
hold broken words; in a model's answer the words are restored.
"""

from __future__ import annotations

import json
import re

import msgspec

from messages.model import ChatMessage, Completion, ModelRequest, ToolCall

BREAK = "\u2060"
"""Word joiner: without width, no blank, and part of no control word."""

_BAR = "[|\uff5c]"
_TAGS = (
    r"s|bos|eos|pad|unk|mask|sop|eop|eot|cls|sep|start_of_turn|end_of_turn|start_of_image|end_of_image|image_soft_token"
    r"|image(?:_\d+)?|tools?|tool_calls?|tool_response|tool_results?|tool_declare|function_calls?|function_results?"
    r"|invoke|think(?:ing)?|seed:\w+|minimax:\w+|antml:\w+|arg_key|arg_value|observation|fim_\w+|file_sep|repo_name"
    r"|unused\d+|extra_(?:id_)?\d+|reserved_\w+|special_\d+|beginning_of_\w+|end_of_\w+|begin_of_\w+|start_of_\w+"
)
_BRACKETS = (
    r"inst|tool_calls?|tool_results?|tool_content|available_tools|system_prompt|args|call_id|think|img|img_break|img_end"
    r"|audio|begin_audio|transcribe|prefix|suffix|middle|eos|bos|pad|unk|cls|sep|mask|gmask|smask|model_settings"
    r"|control_\d+"
)
_CONTROL_WORDS = (
    rf"<(?=(?:/?{_BAR}[^\s<>]{{1,60}}>|[^\s<>|\uff5c{BREAK}]{{1,40}}{_BAR}>|</?sys>>|/?(?:{_TAGS})(?:\s[^<>]{{0,200}})?/?>))"
    rf"|\[(?=(?:/?(?:{_BRACKETS})\]|e~\[))"
    r"|\](?=(?:~b\]|~!b\[))"
    r"|◁(?=/?\w{1,20}▷)"
)
_CONTROL = re.compile(_CONTROL_WORDS, re.IGNORECASE)
_BROKEN = re.compile(_CONTROL_WORDS.replace("(?=", f"{BREAK}(?="), re.IGNORECASE)
_MAY_HOLD = re.compile(r"[<◁\[\]]")


def break_words(text: str) -> str:
    """A text with each control word broken; the same text always gives the same."""
    return _CONTROL.sub(lambda begin: begin[0] + BREAK, text) if _MAY_HOLD.search(text) else text


def restore_words(text: str) -> str:
    """A text with each broken control word whole again; other word joiners stay."""
    return _BROKEN.sub(lambda begin: begin[0][:-1], text) if BREAK in text else text


def break_request(request: ModelRequest) -> ModelRequest:
    """A request without control words in its texts; the same object if no text holds a control word."""
    messages = tuple(map(_break_message, request.messages))
    system_prompt = break_words(request.system_prompt)
    if system_prompt == request.system_prompt and messages == request.messages:
        return request
    return msgspec.structs.replace(request, system_prompt=system_prompt, messages=messages)


def restore_completion(completion: Completion) -> Completion:
    """An answer with whole control words; the same object if no word is broken."""
    calls = tuple(
        _replace_arguments(call, restore_words(_plain(call.arguments_json))) for call in completion.tool_calls
    )
    whole = msgspec.structs.replace(
        completion,
        text=restore_words(completion.text),
        refusal=restore_words(completion.refusal),
        thoughts=restore_words(completion.thoughts),
        thoughts_json=restore_words(completion.thoughts_json),
        tool_calls=calls,
    )
    return completion if whole == completion else whole


def _break_message(message: ChatMessage) -> ChatMessage:
    if (own := message.thoughts) is not None and (fields := break_words(own.fields_json)) != own.fields_json:
        message = msgspec.structs.replace(message, thoughts=msgspec.structs.replace(own, fields_json=fields))
    text = break_words(message.text)
    calls = tuple(_replace_arguments(call, break_words(_plain(call.arguments_json))) for call in message.tool_calls)
    if text == message.text and calls == message.tool_calls:
        return message
    return msgspec.structs.replace(message, text=text, tool_calls=calls)


def _replace_arguments(call: ToolCall, arguments: str) -> ToolCall:
    """A call with other arguments, if their words differ."""
    is_same = arguments in (call.arguments_json, _plain(call.arguments_json))
    return call if is_same else msgspec.structs.replace(call, arguments_json=arguments)


def _plain(arguments_json: str) -> str:
    """Arguments without escapes: servers decode the arguments before rendering a template."""
    if "\\u" not in arguments_json:
        return arguments_json
    try:
        return json.dumps(json.loads(arguments_json), ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments_json
