/* A turn as a waterfall: each question to an actor is a bar from when it was asked to its newest answer. */
import { by, make, millis, number } from "./dom.js";

export function drawTurn(turn) {
  const whole = Math.max(turn.ms, ...turn.spans.map((span) => span.to ?? 0), 1);
  const rows = ordered(turn.spans).map((span) => row(span, whole));
  if (turn.left_out) rows.push(make("p", { class: "note", textContent: `${turn.left_out} further questions are not drawn` }));
  by("turn").replaceChildren(...rows);
  const state = turn.outcome ? `${turn.outcome} in ${millis(turn.ms)}` : "at work";
  by("turn_of").textContent = `${turn.window}, ${state}`;
}

/* Each question, and behind it those that were asked within it. */
function ordered(spans) {
  const inner = new Map();
  spans.forEach((span, at) => {
    const list = inner.get(span.in) ?? [];
    list.push(at);
    inner.set(span.in, list);
  });
  const found = [];
  const walk = (at, depth) => {
    found.push({ ...spans[at], depth });
    (inner.get(at) ?? []).forEach((each) => walk(each, depth + 1));
  };
  (inner.get(null) ?? []).forEach((at) => walk(at, 0));
  return found;
}

function row(span, whole) {
  const end = span.to ?? whole;
  const bar = make("div", { class: "bar" });
  bar.style.left = `${(100 * span.from) / whole}%`;
  bar.style.width = `${(100 * Math.max(end - span.from, 0)) / whole}%`;
  const cached = span.cached_tokens ? ` (${number(span.cached_tokens)} cached)` : "";
  const tokens = span.in_tokens === undefined ? "" : ` ${number(span.in_tokens)}${cached}→${number(span.out_tokens)} tokens`;
  const cost = span.usd ? ` $${span.usd.toFixed(4)}` : "";
  const took = span.to === null ? "waiting" : millis(end - span.from);
  const classes = ["span", span.who, span.depth ? "inner" : "", span.to === null ? "open" : ""].join(" ");
  return make(
    "div",
    { class: classes, title: `${span.asker} asked ${span.who}: ${span.what}${span.answer ? `, answered ${span.answer}` : ""}` },
    make("div", { class: "label" }, make("b", { textContent: span.who }), " ", make("small", { textContent: span.what })),
    make("div", { class: "lane", "aria-hidden": "true" }, bar),
    make("div", { class: "took" }, took, make("small", { textContent: `${tokens}${cost}` })),
  );
}
