from __future__ import annotations

import re

from actors.gateway.metrics import Metrics

LINE = re.compile(r'# TYPE \w+ (counter|gauge)|\w+(\{\w+="\w+"(,\w+="\w+")*\})? [0-9.]+')


def test_metrics_are_told_as_prometheus_reads_them() -> None:
    metrics = Metrics(injected=3, unstored=1, in_flight=2, recall_s=0.25)
    metrics.requests["chat", 200] += 2
    metrics.requests["pass", 404] += 1
    metrics.request_s["chat"] += 1.5
    metrics.recalls["late"] += 1
    text = metrics.text()

    assert [line for line in text.splitlines() if not LINE.fullmatch(line)] == []
    assert text.endswith("\n")
    for line in (
        'gateway_requests_total{kind="chat",status="200"} 2',
        'gateway_requests_total{kind="pass",status="404"} 1',
        'gateway_request_seconds_total{kind="chat"} 1.500000',
        'gateway_recalls_total{outcome="late"} 1',
        "gateway_recall_seconds_total 0.250000",
        "gateway_memories_injected_total 3",
        "gateway_turns_not_confirmed_total 1",
        "gateway_requests_in_flight 2",
    ):
        assert line in text.splitlines()


def test_a_type_is_told_once() -> None:
    metrics = Metrics()
    metrics.requests.update({("chat", 200): 1, ("chat", 500): 1})

    types = re.findall(r"# TYPE (\w+)", metrics.text())
    assert len(types) == len(set(types))
