"""Alerts: trouble with reminders and its end, reported in the reminders' channel as soon as Discord accepts."""

from __future__ import annotations

import logging
from collections import OrderedDict

import msgspec

from actors.kernel import Host
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.status import REPORT_AGAIN_S
from domain.reminder.naming import base32_key
from domain.reminder.owed import CLOCK_SKEW
from messages.base import RequestId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage

log = logging.getLogger(__name__)

ALERT = "alert-"
"""Prefix of the request ids of alerts."""
MOST = 16
"""Most alerts kept for later; beyond this number the oldest are dropped."""


class Alerts:
    """Alerts on their way, and alerts that Discord could not take, in order."""

    def __init__(self, host: Host, config: SchedulerConfig) -> None:
        """Begin without alerts.

        Args:
            host: The scheduler's actor.
            config: Address that shows alerts, and the alerts' channel.
        """
        self._host = host
        self._config = config
        self._out: OrderedDict[RequestId, PostMessage] = OrderedDict()
        self._failed: OrderedDict[RequestId, PostMessage] = OrderedDict()

    def tell(self, text: str) -> None:
        """Tell people, the same no more than once in a while."""
        if self._config.channel is None or not self._config.fires:
            return
        key = base32_key(f"{text}\0{self._host.now().timestamp() // REPORT_AGAIN_S}".encode(), 14)
        self._post(
            PostMessage(
                request_id=RequestId(f"{ALERT}{key}"),
                reply_to=self._host.address,
                window=self._config.channel,
                text=text,
                nonce=f"{ALERT}{key}",
                look_since=self._host.now() - CLOCK_SKEW,
            )
        )

    def take(self, reply: Delivered | DeliveryFailed | DeliveryRefused) -> None:
        """Note the result of an alert's delivery."""
        message = self._out.pop(reply.request_id, None)
        if not isinstance(reply, Delivered):
            log.error("%s was not shown: %s", reply.request_id, reply.reason)
        is_over = isinstance(reply, Delivered) or (isinstance(reply, DeliveryRefused) and not reply.for_now)
        if message is not None and not is_over:
            self._failed[message.request_id] = msgspec.structs.replace(message, look_first=True)
            while len(self._failed) > MOST:
                self._failed.popitem(last=False)

    def try_again(self) -> None:
        """Send the alerts that failed a minute ago."""
        failed, self._failed = self._failed, OrderedDict()
        for message in failed.values():
            self._post(message)

    def _post(self, message: PostMessage) -> None:
        self._out[message.request_id] = message
        while len(self._out) > MOST:
            self._out.popitem(last=False)
        self._host.tell(self._config.delivery, message)
