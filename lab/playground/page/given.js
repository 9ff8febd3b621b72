// What memory gave the bot for an answer, shown under it.
import { el } from "./dom.js";
import { LOADING, get, historyOf, on, openPlace, placeOf, state, tell } from "./store.js";

const SETTLE_MS = 400; // an answer is edited while it comes
const MOST_CHARS = 300;
const known = new Map(); // message id -> what was given
const waiting = new Map(); // message id -> timer
const open = new Set(); // message ids

export function startGiven() {
  on("message", later);
  on("log", () => later(historyOf(state.current).list.findLast(isAnswer)));
  on("connection", () => later(historyOf(state.current).list.findLast(isAnswer)));
}

/** The memories under an answer; nothing where there were none. */
export function givenBox(message) {
  const said = known.get(message.id);
  if (!said?.given.length) return null;
  const count = said.given.length;
  const box = el("details", { className: "given", open: open.has(message.id) },
    el("summary", {}, `What it was given: ${count} ${count === 1 ? "memory" : "memories"}`),
    el("p", {}, `Found among ${said.candidates} in ${Math.round(said.took_ms)} ms; no model was asked.${said.note ? ` ${said.note}` : ""}`),
    el("ol", {}, ...said.given.map(memory)));
  box.ontoggle = () => (box.open ? open.add(message.id) : open.delete(message.id));
  return box;
}

function memory(each) {
  const when = new Date(each.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  const text = each.excerpt.length > MOST_CHARS ? `${each.excerpt.slice(0, MOST_CHARS)}…` : each.excerpt;
  const why = each.pinned ? "pinned" : each.score === null ? "" : `score ${each.score.toFixed(2)}`;
  return el("li", {}, el("q", {}, text),
    el("small", {}, `${each.author || each.role}, ${when}, `, source(each.window), why ? `, ${why}` : null));
}

/** Where it was said: a way there, if the page has the place. */
function source(window) {
  const id = window.split("/").pop();
  const place = placeOf(id);
  if (!place) return window;
  return el("button", { className: "link", type: "button", onclick: () => openPlace(id) }, place.name ? `#${place.name}` : "here");
}

function isAnswer(message) {
  return message.author.id === state.bot.id && !message.visible_to && !(message.flags & LOADING) && message.content;
}

function later(message) {
  if (!state.hasCompanion || !message || !isAnswer(message) || known.has(message.id)) return;
  clearTimeout(waiting.get(message.id));
  waiting.set(message.id, setTimeout(() => fetchFor(message), SETTLE_MS));
}

async function fetchFor(message) {
  waiting.delete(message.id);
  const said = await get(`/given?channel=${message.channel_id}&message=${message.id}`);
  if (!said) return;
  known.set(message.id, said);
  if (said.given.length) tell("given", historyOf(message.channel_id).list.find((each) => each.id === message.id));
}
