/* Panels: actors, memory's reasons, the log with its chain, reminders on a line of time, skills, figures. */
import { by, make, number, shown } from "./dom.js";

const cell = (value, bad = false) => make("td", { class: value ? (bad ? "bad" : "") : "zero", textContent: number(value) });

export function drawActors(kinds, crash) {
  const rows = kinds.map((each) =>
    make(
      "tr",
      { class: each.resting ? "resting" : each.busy ? "busy" : "" },
      make("td", {}, make("span", { class: "busy-mark", "aria-hidden": "true" }), each.kind, each.resting ? make("small", { textContent: ` ${number(each.resting)} resting` }) : null),
      cell(each.alive), cell(each.waiting), cell(each.rate), cell(each.restarts, true),
    ),
  );
  by("actors").tBodies[0].replaceChildren(...rows);
  const told = by("crash");
  told.classList.toggle("bad", Boolean(crash));
  if (crash) {
    const over = crash.message ? ` over ${crash.message}` : "";
    told.textContent = shown(`Last crash: ${crash.who} in ${crash.phase}${over}, ${crash.at.slice(11, 19)}: ${crash.error}`);
  }
  const sum = (name) => kinds.reduce((total, each) => total + each[name], 0);
  const sums = { actors: sum("alive"), waiting: sum("waiting"), "messages/s": sum("rate"), restarts: sum("restarts") };
  by("sums").replaceChildren(
    ...Object.entries(sums).map(([name, value]) => make("div", {}, make("dt", { textContent: name }), make("dd", { textContent: number(value) }))),
  );
}

function score(name, value) {
  const fill = make("div", { class: "fill" });
  fill.style.width = `${100 * Math.min(Math.max(value, 0), 1)}%`;
  return make("div", { class: `score ${name}` }, name, make("div", { class: "track", "aria-hidden": "true" }, fill), value.toFixed(2));
}

function memory(each) {
  const pin = each.pinned ? "pinned, " : "";
  return make(
    "li",
    {},
    make("p", { textContent: each.excerpt }),
    make("p", { class: "meta", textContent: `${pin}${each.author}, ${each.at.replace("T", " ").slice(0, 16)}, ${each.place}` }),
    score("similarity", each.similarity), score("recency", each.recency), score("repetition", each.repetition),
  );
}

const list = (memories) => make("ol", { class: "memories", tabIndex: 0 }, ...memories.map(memory));

export function drawMemory(said) {
  if (said.trouble) return by("memory").replaceChildren(make("p", { class: "empty", textContent: said.trouble }));
  const head = `${number(said.candidates)} were found, ${said.given.length} given (${number(said.tokens)} of ${number(said.budget)} tokens, ${said.took_ms} ms, ${said.search})`;
  const parts = [make("p", { class: "note", textContent: said.note ? `${head}; ${said.note}` : head })];
  if (said.given.length) parts.push(make("h3", { textContent: "given" }), list(said.given));
  if (said.rejected.length) parts.push(make("h3", { textContent: "found, not given: the best first" }), list(said.rejected));
  return by("memory").replaceChildren(...parts);
}

export function drawLog(said) {
  if (said.trouble) return by("log").replaceChildren(make("p", { class: "empty", textContent: said.trouble }));
  const whole = said.damage.length
    ? make("p", { class: "note bad", textContent: `line ${said.damage[0].line}: ${said.damage[0].reason}` })
    : make("p", { class: "note", textContent: `${number(said.events)} entries, ${number(said.bytes)} bytes: the chain holds` });
  const entries = said.entries.toReversed().map((each) =>
    make(
      "li",
      {},
      make("p", { class: "meta", textContent: `${each.at.slice(11, 23)} ${each.kind} ${each.author}` }),
      each.text ? make("p", { class: "text", textContent: each.text }) : null,
      make("p", { class: "hash", textContent: `line ${each.line}, #${each.hash}` }),
    ),
  );
  return by("log").replaceChildren(whole, make("p", { class: "meta", textContent: said.path }), make("ol", { class: "entries", tabIndex: 0 }, ...entries));
}

export function drawReminders(said) {
  if (said.trouble) return by("reminders").replaceChildren(make("p", { class: "empty", textContent: said.trouble }));
  const due = said.reminders.filter((each) => each.due);
  if (!said.reminders.length) return by("reminders").replaceChildren(make("p", { class: "empty", textContent: "None is set." }));
  const now = Date.now();
  const far = Math.max(...due.map((each) => Date.parse(each.due) - now), 60_000);
  const line = make("div", { class: "time", "aria-hidden": "true" });
  for (const each of due) {
    const mark = make("i");
    mark.style.left = `${100 * Math.sqrt(Math.max(Date.parse(each.due) - now, 0) / far)}%`;
    line.append(mark);
  }
  const rows = said.reminders.slice(0, 20).map((each) =>
    make("li", {}, make("p", { textContent: each.msg }), make("p", { class: "meta", textContent: `${each.failed ? "could not be said, " : ""}${each.local || "at once"}${each.recur && each.recur !== "none" ? `, ${each.recur}` : ""}` })),
  );
  return by("reminders").replaceChildren(line, make("ol", { class: "entries", tabIndex: 0 }, ...rows));
}

export function drawSkills(said) {
  const box = by("skills");
  if (said.trouble) return box.replaceChildren(make("p", { class: "empty", textContent: said.trouble }));
  if (!said.skills.length && !said.findings.length) return box.replaceChildren(make("p", { class: "empty", textContent: "There is none." }));
  const rows = said.skills.map((each) =>
    make(
      "li", {},
      make("p", { textContent: `${each.name}: ${each.description}` }),
      make("p", { class: each.state === "changed" ? "meta bad" : "meta", textContent: `${each.state}, ${number(each.tokens)} tokens, ${each.origin}` }),
    ),
  );
  const findings = said.findings.map((each) => make("li", {}, make("p", { class: "meta bad", textContent: each })));
  const more = said.left_out ? `, and ${number(said.left_out)} more` : "";
  const total = make("p", { class: "note", textContent: `${number(said.skills.length)} skills${more}: about ${number(said.tokens)} tokens of each request` });
  return box.replaceChildren(total, make("ol", { class: "entries", tabIndex: 0 }, ...findings, ...rows));
}

const SHOWN = {
  model: ["model", "in_flight", "waiting", "cost_today_usd", "daily_limit_usd"],
  memory: ["state", "turns", "embedded", "pending", "failed", "pins"],
  embedder: ["provider", "state", "texts_waiting", "calls", "calls_failed", "last_error"],
  scheduler: ["state", "reminders", "invalid_lines"],
  shell: ["commands_running", "commands_waiting"],
};

export function drawFigures(figures) {
  const rows = [];
  for (const [who, names] of Object.entries(SHOWN)) {
    const said = names.map((name) => [name, figures[who]?.[name]]).filter(([, value]) => value !== undefined && value !== "");
    if (!said.length) continue;
    const words = said.map(([name, value]) => (typeof value === "number" ? `${name.replaceAll("_", " ")} ${number(value)}` : value));
    rows.push(make("dt", { textContent: who }), make("dd", { textContent: words.join(", ") }));
  }
  by("figures").replaceChildren(...rows);
}

function sums(title, rows, most) {
  const body = rows.map((each) => {
    const fill = make("div", { class: "fill" });
    fill.style.width = `${(100 * (each.usd || each.tokens / 1e9)) / most}%`;
    return make(
      "tr", {}, make("th", { scope: "row" }, each.key, make("div", { class: "track", "aria-hidden": "true" }, fill)),
      make("td", { textContent: `${number(each.tokens)} tokens${each.cached ? `, ${Math.floor(100 * each.cached)} % cached` : ""}` }), make("td", { textContent: `$${each.usd.toFixed(4)}` }),
    );
  });
  return make("div", { class: "scroll", tabIndex: 0 }, make("table", { class: "sums" }, make("caption", { textContent: title }), make("tbody", {}, ...body)));
}

/* Bars by dollars, and by tokens where nothing is known of a price. */
export function drawUsage(said) {
  const box = by("usage");
  if (said.trouble) return box.replaceChildren(make("p", { class: "empty", textContent: said.trouble }));
  if (!said.days.length) return box.replaceChildren(make("p", { class: "empty", textContent: "No provider was called yet: the offline model and the vectors of this machine cost nothing." }));
  const most = (rows) => Math.max(...rows.map((each) => each.usd || each.tokens / 1e9), 1e-12);
  return box.replaceChildren(sums("by day", said.days, most(said.days)), sums("by window, the dearest first", said.windows, most(said.windows)));
}
