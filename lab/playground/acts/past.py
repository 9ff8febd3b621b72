"""Past of the playground: messages in #general from before the bot's arrival."""

from __future__ import annotations

from datetime import UTC, datetime

from lab.playground.acts.past_year import PEOPLE, past_year
from lab.playground.hub import Hub
from lab.playground.world.defaults import GENERAL_ID


def plant_year(hub: Hub) -> int:
    """Fill #general with a made-up year, before anybody else has said anything there; the number of messages."""
    world = hub.world
    users = {user_id: world.add_user(name, user_id=user_id) for name, user_id in PEOPLE}
    channel, count = world.channel(GENERAL_ID), 0
    for message in past_year(datetime.fromtimestamp(hub.config.clock(), UTC).date()):
        world.post_past(channel, users[message.author_id], message.text, message.at.timestamp())
        count += 1
    return count
