"""Teeth of the contract: each kind of difference is seen, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from lab.playground.world.defaults import GENERAL_ID
from lab.playground.world.traffic import Exchange, Frame, Part
from tests.discord_api.description import Description

AGENT = {"User-Agent": "DiscordBot (https://example.com, 1.0)", "Content-Type": "application/json"}
USER = json.loads(
    """{"id": "1", "username": "you", "global_name": null, "discriminator": "0", "avatar": null, "public_flags": 0,
        "flags": 0, "primary_guild": null}"""
)
MESSAGE = {
    "author": USER,
    "timestamp": "2026-01-02T03:04:05.678000+00:00",
    **json.loads(
        """{"id": "5", "channel_id": "4", "type": 0, "content": "hi", "tts": false, "flags": 0, "pinned": false,
            "edited_timestamp": null, "mention_everyone": false, "mentions": [], "mention_roles": [],
            "attachments": [], "embeds": [], "components": []}"""
    ),
}
POSTED = Exchange("POST", "/channels/4/messages", (), AGENT, {"content": "hi"}, (), 200, json.dumps(MESSAGE).encode())
PAGE = Exchange("GET", "/channels/4/messages", (("limit", "5"),), AGENT, None, (), 200, b"[]")
THREAD = Exchange("POST", "/channels/4/messages/5/threads", (), AGENT, {"name": "owls"}, (), 400, b"{}")
ERROR = {"code": 50035, "message": "Invalid Form Body"}
FILE = Part("files[0]", "owl.png", "image/png")


def with_answer(exchange: Exchange, value: object, status: int = 200) -> Exchange:
    return replace(exchange, status=status, answer=json.dumps(value).encode())


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in MESSAGE.items() if name != key}


def frame(op: int, data: object, name: str | None = None, *, by_bot: bool = False) -> Frame:
    return Frame(by_bot, json.dumps({"op": op, "d": data, "s": 1, "t": name}).encode())


@pytest.fixture(scope="module")
def description() -> Description:
    return Description()


def test_what_is_right_has_no_fault(description: Description) -> None:
    field = {"content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer."}]}}
    right: list[Exchange | Frame] = [
        POSTED,
        PAGE,
        with_answer(POSTED, {**ERROR, "errors": field}, 400),
        replace(POSTED, parts=(Part("payload_json", None, None), FILE), payload={"attachments": [{"id": "0"}]}),
        with_answer(POSTED, {"message": "slow", "code": 0, "retry_after": 0.3, "global": False}, 429),
        replace(POSTED, status=0, answer=b""),
        replace(POSTED, status=502, answer=b"<html>", fault="html"),
        frame(0, {"_trace": []}, "RESUMED"),
        frame(0, {"id": "5", "channel_id": "4"}, "MESSAGE_DELETE"),
        frame(1, 7, by_bot=True),
        frame(11, None),
    ]

    faults = {number: found for number, each in enumerate(right) if (found := description.faults(each))}
    assert not faults


def test_every_kind_of_difference_is_a_fault(description: Description) -> None:
    """Public reports of fakes and libraries that went apart from Discord in these ways.

    A status of 200 for what was created (discord/discord-api-docs#2348); ids as numbers (rmcafee/discord_ex#11); a key
    missing that a library counts on (Rapptz/discord.py#7109, nextcord/nextcord#621, evennia/evennia#3716); codes of
    fields (discord/discord-api-docs#1313); a client that does not say who it is (discord/discord-api-docs#4908,
    poshbotio/PoshBot#239); a frame without its fields (discord/discord-api-docs#3854).
    """
    wrong: list[tuple[Exchange | Frame, str]] = [
        (replace(POSTED, path="/channels/4/owls"), "unknown operation"),
        (replace(POSTED, method="TRACE"), "unknown operation"),
        (replace(POSTED, headers={**AGENT, "User-Agent": "Python aiohttp"}), "request: User-Agent"),
        (replace(POSTED, headers={**AGENT, "Content-Type": "text/plain"}), "request: Content-Type"),
        (replace(POSTED, query=(("owl", "1"),)), "request: query owl: unknown"),
        (replace(PAGE, query=(("limit", "many"),)), "request: query .limit: 'many' breaks type"),
        (replace(PAGE, query=(("after", "then"),)), "request: query .after: 'then' breaks pattern"),
        (replace(PAGE, payload={"content": "hi"}), "request: body: none is expected"),
        (replace(THREAD, payload=None), "request: body: missing"),
        (replace(POSTED, payload={"content": 5}), "request: .content: '5' breaks type"),
        (replace(POSTED, payload={"text": "hi"}), "request: .text: unknown"),
        (replace(POSTED, payload={"attachments": [{"id": 0}]}), "request: .attachments[n].id: '0' breaks type"),
        (replace(PAGE, parts=(FILE,)), "request: multipart: this operation takes no files"),
        (replace(POSTED, parts=(Part("file", "owl.png", None),)), "request: multipart 'file': neither"),
        (
            replace(POSTED, parts=(FILE,), payload={"attachments": [{"id": "1", "filename": "owl.png"}]}),
            "request: multipart attachments: id '1' has no files[n]",
        ),
        (with_answer(POSTED, MESSAGE, 201), "answer 201: status: not among"),
        (with_answer(THREAD, {}, 200), "answer 200: status: not among"),
        (replace(POSTED, path="/channels/4/typing", status=204), "answer 204: body: not empty"),
        (replace(POSTED, answer=b"<html>"), "answer 200: body: no JSON"),
        (with_answer(POSTED, without("author")), "answer 200: .: 'author' is a required property"),
        (with_answer(POSTED, {**MESSAGE, "id": 5}), "answer 200: .id: '5' breaks type"),
        (with_answer(POSTED, {**MESSAGE, "timestamp": "2026-01-02T03:04:05"}), "answer 200: .timestamp"),
        (with_answer(PAGE, [without("pinned")]), "answer 200: [n]: 'pinned' is a required property"),
        (with_answer(POSTED, {**ERROR, "code": "50035"}, 400), "answer 400: .code: '50035' breaks type"),
        (with_answer(POSTED, {**ERROR, "errors": {"content": {"_errors": [{"code": 1}]}}}, 400), "answer 400: .errors"),
        (frame(0, {}, "OWL_CREATE"), "event OWL_CREATE to the bot: unknown"),
        (frame(0, {"id": "5"}, "MESSAGE_DELETE"), "event MESSAGE_DELETE to the bot: .: 'channel_id' is a required"),
        (frame(0, {"id": 5, "channel_id": "4"}, "MESSAGE_DELETE"), "event MESSAGE_DELETE to the bot: .id"),
        (frame(12, None), "op 12 to the bot: unknown"),
        (frame(99, None, by_bot=True), "op 99 from the bot: unknown"),
        (frame(2, {"token": "t", "intents": 1}, by_bot=True), "op 2 from the bot: .: 'properties' is a required"),
        (frame(10, {}), "op 10 to the bot: .: 'heartbeat_interval' is a required"),
    ]

    unseen = [part for traffic, part in wrong if not any(part in fault for fault in description.faults(traffic))]
    assert not unseen


def test_the_nearest_alternative_is_the_one_that_is_told_of(description: Description) -> None:
    row = {"type": 1, "id": 1, "components": [{"type": 2, "style": 1, "custom_id": "stop"}]}

    faults = description.faults(with_answer(POSTED, {**MESSAGE, "components": [row]}))
    assert [fault.partition("answer 200: ")[2] for fault in faults] == [
        ".components[n].components[n]: 'id' is a required property"
    ]


def test_a_literal_path_goes_before_a_parameter(description: Description) -> None:
    assert description.operation_of("GET", "/users/@me") == "GET /users/@me"
    assert description.operation_of("GET", "/users/7") == "GET /users/{user_id}"
    assert description.operation_of("POST", f"/channels/{GENERAL_ID}/messages/bulk-delete") is not None
