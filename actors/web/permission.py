"""Authorization of pages: the addresses allowed to a window, and the bound on data sent out in a while.

Commands have no network, but a made-up address goes out all the same, with any data inside.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial

import msgspec

from actors.kernel import Host
from actors.web.address import page_url
from actors.web.config import LEAST_COUNTED_BYTES, WebConfig
from actors.web.errors import WebError
from domain.policy.rate_limit import RateLimit
from domain.turn.web_address import SeenAddresses, normal_address
from messages.base import RequestId, Window
from messages.context import AddressChecked, CheckAddress
from messages.web import ReadPage, SearchWeb

HOUR_S = 3_600.0
MOST_RESULTS_KEPT = 500
MOST_WINDOWS = 1_000
"""Most windows with kept results; the windows that searched longest ago are forgotten first."""

READ_OFF = 'Reading pages is turned off here (web.read = "off").'
NO_WORD = "The conversation could not say whether somebody wrote that address; try again."


class Permission:
    """Judge of requests before they are queued; each request is judged once, allowed or refused."""

    def __init__(
        self,
        host: Host,
        config: WebConfig,
        *,
        allow: Callable[[SearchWeb | ReadPage], None],
        refuse: Callable[[SearchWeb | ReadPage, str], None],
    ) -> None:
        """Begin without requests and results.

        Args:
            host: The actor that asks windows and sets timers.
            config: Readable addresses, and the bound on outgoing data.
            allow: Called with each allowed request, in its allowed form.
            refuse: Called with each refused request, and the reason.
        """
        self._host = host
        self._read = config.read
        self._check_s = config.check_s
        self._outflow = RateLimit(config.out_bytes_per_hour, HOUR_S)
        self._allow = allow
        self._refuse = refuse
        self._results: OrderedDict[Window, SeenAddresses] = OrderedDict()
        self._checks: dict[RequestId, ReadPage] = {}
        self.sent_bytes = 0
        """Bytes of allowed addresses and searches, as counted."""

    def __len__(self) -> int:
        """Number of requests that wait for a window's answer."""
        return len(self._checks)

    def __contains__(self, request_id: RequestId) -> bool:
        """True if the request waits for an answer."""
        return request_id in self._checks

    def waiting_of(self, window: Window) -> int:
        """Number of a window's requests that wait for the window's answer."""
        return sum(request.window == window for request in self._checks.values())

    def judge(self, request: SearchWeb | ReadPage) -> None:
        """Allow or refuse a request, now or after the window's answer."""
        if isinstance(request, SearchWeb) or self._read == "any":
            self._spend(request)
        elif self._read == "off":
            self._refuse(request, READ_OFF)
        elif not (url := normal_address(request.url)):
            self._refuse(request, _fault_of(request.url))
        else:
            # From here on in the form that was compared, so that no two readings of a spelling matter.
            self._judge_page(msgspec.structs.replace(request, url=url))

    def note_results(self, window: Window, links: Iterable[str]) -> None:
        """Allow the window to read the results of its own search."""
        self._results.setdefault(window, SeenAddresses(MOST_RESULTS_KEPT)).add(links)
        self._results.move_to_end(window)
        if len(self._results) > MOST_WINDOWS:
            self._results.popitem(last=False)

    def clear(self) -> list[ReadPage]:
        """Forget and return the waiting requests."""
        waiting, self._checks = list(self._checks.values()), {}
        return waiting

    def _judge_page(self, request: ReadPage) -> None:
        if request.url in self._results.get(request.window, ()):
            self._spend(request)
            return
        self._checks[request.request_id] = request
        make = partial(CheckAddress, window=request.window, url=request.url)

        def go_on(finding: AddressChecked | None) -> None:
            del self._checks[request.request_id]
            if finding is None:
                self._refuse(request, NO_WORD)
            elif finding.is_written:
                self._spend(request)
            else:
                self._refuse(request, _unseen_refusal(request.url))

        self._host.ask(request.window.address, make, self._check_s, go_on)

    def _spend(self, request: SearchWeb | ReadPage) -> None:
        """Allow the request if the window has not sent out too much."""
        words = request.query if isinstance(request, SearchWeb) else request.url
        size = max(LEAST_COUNTED_BYTES, len(words.encode("utf-8", "replace")))
        limit = self._outflow.limit
        if size > limit:
            self._refuse(request, f"The request has {size} bytes: at most {limit} may go out in an hour.")
        elif wait_s := self._outflow.take(request.window.address.key, self._host.monotonic(), size):
            self._refuse(request, _too_much(limit, wait_s))
        else:
            self.sent_bytes += size
            self._allow(request)


def _fault_of(url: str) -> str:
    try:
        page_url(url)
    except WebError as error:
        return str(error)
    return f"{url[:200]!r} is not an address in a form that is read"


def _unseen_refusal(url: str) -> str:
    return (
        f"{url[:200]!r} is not read: nobody wrote this address in this conversation, and no search here found it. "
        "Ask a person to write it, or search first; links in pages do not count, nor does one with anything added."
    )


def _too_much(limit: int, wait_s: float) -> str:
    minutes = int(wait_s // 60) + 1
    return f"Addresses and searches of this conversation had {limit} bytes within an hour: try again in {minutes} min."
