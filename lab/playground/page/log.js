// The messages of the open place.
import { $, ask, attempt, avatar, dots, el, icon } from "./dom.js";
import { extras } from "./extras.js";
import { givenBox } from "./given.js";
import { refreshTimes } from "./inline.js";
import { markup } from "./markup.js";
import { LOADING, historyOf, loadOlder, on, openPlace, placeOf, post, state, tell, userName } from "./store.js";
import { tourList } from "./tour.js";

const THREAD_CREATED = 18, THREAD_STARTER = 21;
const FORWARD = 1; // kind of a reference
const JOINS_WITHIN_MS = 5 * 60 * 1000;
const NEAR_END_PX = 120;
const log = $("log");
let editing = "";

export function startLog() {
  on("log", draw);
  on("place", draw);
  on("users", draw);
  on("message", update);
  on("removed", draw);
  on("given", (message) => message && message.channel_id === state.current && update(message));
  on("typing", () => {});
  log.addEventListener("scroll", scrolled, { passive: true });
  $("newest").onclick = toEnd;
  setInterval(() => refreshTimes(log), 1000);
}

function visible() {
  return historyOf(state.current).list.filter((m) => !m.visible_to || m.visible_to === state.speaker);
}

function draw() {
  if (!state.current) return;
  const stuck = isAtEnd();
  const history = historyOf(state.current);
  const nodes = history.loaded && history.complete ? [beginning()] : [];
  let previous = null;
  for (const message of visible()) {
    nodes.push(...rows(message, previous));
    previous = message;
  }
  log.replaceChildren(...nodes);
  if (stuck || log.dataset.place !== state.current) toEnd();
  log.dataset.place = state.current;
}

/** Draw one message again, or add it at the end. */
function update(message) {
  const list = visible();
  const at = list.findIndex((entry) => entry.id === message.id);
  const shown = log.querySelector(`[data-id="${message.id}"]`);
  if (at < 0) return;
  const stuck = isAtEnd();
  if (shown) shown.replaceWith(messageRow(message, list[at - 1] ?? null));
  else if (at === list.length - 1 && log.dataset.place === state.current) log.append(...rows(message, list[at - 1] ?? null));
  else return draw();
  const mine = message.author.id === state.speaker && !shown;
  if (stuck || mine) toEnd();
  else if (!shown) $("newest").hidden = false;
  return undefined;
}

function rows(message, previous) {
  const day = new Date(message.timestamp).toDateString();
  const isNewDay = previous && new Date(previous.timestamp).toDateString() !== day;
  const row = messageRow(message, isNewDay ? null : previous);
  return isNewDay ? [el("div", { className: "day" }, new Date(message.timestamp).toLocaleDateString(undefined, { dateStyle: "long" })), row] : [row];
}

function messageRow(message, previous) {
  if (message.type === THREAD_CREATED) return threadNotice(message);
  const source = message.type === THREAD_STARTER ? message.referenced_message ?? message : message;
  const joined = previous && previous.author.id === source.author.id && !message.message_reference && !message.interaction_metadata
    && previous.type !== THREAD_CREATED && Boolean(previous.visible_to) === Boolean(message.visible_to)
    && new Date(message.timestamp) - new Date(previous.timestamp) < JOINS_WITHIN_MS;
  const time = clock(message.timestamp);
  const row = el("article", { className: `message${joined ? " joined" : ""}${message.visible_to ? " private" : ""}`, "data-id": message.id, "aria-label": `${userName(source.author.id)}, ${time}` },
    message.type === THREAD_STARTER ? null : quote(message),
    avatar(source.author), header(source, time), el("time", { "aria-hidden": "true" }, time), body(source, message));
  if (message.type !== THREAD_STARTER) row.append(tools(message));
  return row;
}

function clock(timestamp) {
  return new Date(timestamp).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

function header(message, time) {
  return el("div", { className: "who" }, el("b", {}, userName(message.author.id)),
    message.author.bot ? el("span", { className: "badge" }, "bot") : null,
    el("time", { dateTime: message.timestamp, title: new Date(message.timestamp).toLocaleString() }, time));
}

function quote(message) {
  const asked = message.interaction_metadata;
  if (asked?.name) return el("div", { className: "quote" }, el("span", {}, `${userName(asked.user.id)} used /${asked.name}`));
  const target = message.referenced_message;
  if (!message.message_reference?.message_id || message.message_reference.type === FORWARD) return null;
  if (!target) return el("div", { className: "quote" }, el("span", {}, "The original message was deleted"));
  const text = plain(target.content).slice(0, 140) || carried(target);
  return el("div", { className: "quote" }, avatar(target.author, true), el("b", {}, userName(target.author.id)), el("span", {}, text));
}

/** Words for a message without text, as Discord's own quotes have them. */
function carried(message) {
  if (message.message_snapshots?.length) return "(a forwarded message)";
  if (message.poll) return `(a poll: ${message.poll.question.text})`;
  return message.sticker_items?.length ? "(a sticker)" : "(an attachment)";
}

/** One line without markdown, for quotes; spoilers stay covered. */
function plain(content) {
  const box = el("div", {}, ...markup(content.slice(0, 600)));
  for (const button of box.querySelectorAll("button, .host")) button.remove();
  for (const spoiler of box.querySelectorAll(".spoiler")) spoiler.replaceWith("(spoiler)");
  for (const block of box.querySelectorAll("p, li, pre")) block.prepend(" ");
  return box.textContent.replace(/\s+/g, " ").trim();
}

function body(source, message) {
  const box = el("div", { className: "body" });
  if (editing === message.id) {
    box.append(editBox(message));
    return box;
  }
  if (message.flags & LOADING) box.append(el("span", { className: "thinking" }, dots(), `${userName(source.author.id)} is thinking…`));
  else box.append(...markup(source.content));
  if (source.edited_timestamp) (box.lastElementChild ?? box).append(el("span", { className: "edited" }, " (edited)"));
  box.append(...extras(source));
  const given = givenBox(source);
  if (given) box.append(given);
  const thread = state.threads.get(message.id);
  if (thread && message.channel_id === thread.parent_id) box.append(threadLink(thread));
  if (message.visible_to) {
    const dismiss = el("button", { className: "link", type: "button", onclick: () => forget(message) }, "dismiss");
    box.append(el("div", { className: "hint" }, "Only you can see this ·", dismiss));
  }
  return box;
}

function threadLink(thread) {
  return el("button", { className: "thread-link", type: "button", onclick: () => openPlace(thread.id) }, icon("thread"), thread.name);
}

function threadNotice(message) {
  const id = message.message_reference?.channel_id;
  const name = state.threads.get(id)?.name ?? message.content;
  const open = state.threads.has(id) ? el("button", { className: "link", type: "button", onclick: () => openPlace(id) }, name) : el("b", {}, name);
  return el("div", { className: "notice", "data-id": message.id }, icon("thread"), `${userName(message.author.id)} started a thread:`, open);
}

function forget(message) {
  const history = historyOf(message.channel_id);
  history.list = history.list.filter((entry) => entry.id !== message.id);
  draw();
}

// ---- what can be done with a message

function tools(message) {
  const box = el("div", { className: "tools", role: "group", "aria-label": "Message actions" });
  if (message.visible_to || message.flags & LOADING) return box;
  const add = (name, label, act) => box.append(el("button", { type: "button", "aria-label": label, title: label, onclick: act }, icon(name)));
  add("react", "React with a thumbs-up", () => attempt(() => post("react", { channel_id: message.channel_id, message_id: message.id, user_id: state.speaker, emoji: "👍" })));
  add("reply", "Reply", () => tell("reply", message));
  const place = placeOf(state.current);
  if (place && !place.parent_id && place.type === 0 && !state.threads.has(message.id)) add("thread", "Create a thread", () => threadFrom(message));
  if (message.author.id === state.speaker) {
    add("edit", "Edit", () => startEdit(message));
    add("delete", "Delete", () => attempt(() => post("user_delete", { channel_id: message.channel_id, message_id: message.id })));
  }
  return box;
}

async function threadFrom(message) {
  const suggested = plain(message.content).slice(0, 60);
  const answer = await ask("Create a thread", "Create", [{ name: "name", label: "Name", value: suggested, limit: 100 }]);
  if (!answer) return;
  const made = await attempt(() => post("thread", { channel_id: message.channel_id, message_id: message.id, name: answer.name, user_id: state.speaker }));
  if (made) await openPlace(made.id);
}

function startEdit(message) {
  editing = message.id;
  draw();
  log.querySelector(".edit-box")?.focus();
}

export function editLast() {
  const mine = visible().filter((m) => m.author.id === state.speaker && !m.visible_to && m.type !== THREAD_CREATED && m.type !== THREAD_STARTER);
  if (mine.length) startEdit(mine[mine.length - 1]);
}

function editBox(message) {
  const box = el("textarea", { className: "edit-box", value: message.content, rows: Math.min(12, message.content.split("\n").length + 1), maxLength: 2000, "aria-label": "Edit message: Enter saves, Escape cancels" });
  const stop = () => {
    editing = "";
    draw();
    $("text").focus();
  };
  box.onkeydown = async (event) => {
    if (event.key === "Escape") stop();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    const saved = await attempt(() => post("user_edit", { channel_id: message.channel_id, message_id: message.id, text: box.value }));
    if (saved) stop();
  };
  return box;
}

// ---- the beginning, and scrolling

function beginning() {
  const place = placeOf(state.current);
  if (!place) return "";
  const isDm = place.type === 1;
  const title = isDm ? `You and ${userName(state.bot.id)}` : place.parent_id ? place.name : `Welcome to #${place.name}`;
  const box = el("div", { className: "start" }, el("h3", {}, title));
  if (state.current !== state.botChannel && place.parent_id !== state.botChannel) {
    box.append(el("p", {}, isDm ? "What is said here stays between the two of you." : `${userName(state.bot.id)} was not given this channel, so it should stay silent here.`));
    return box;
  }
  if (visible().length > 1 || place.parent_id) return box;
  box.append(el("p", {}, "Write something, or try these: each is really done, and told in a line."), tourList());
  return box;
}

function isAtEnd() {
  return log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END_PX;
}

function toEnd() {
  log.scrollTop = log.scrollHeight;
  $("newest").hidden = true;
}

async function scrolled() {
  if (isAtEnd()) $("newest").hidden = true;
  const history = historyOf(state.current);
  if (log.scrollTop > 80 || !history.loaded || history.complete || history.busy) return;
  const fromEnd = log.scrollHeight - log.scrollTop;
  if (await loadOlder(state.current)) {
    draw();
    log.scrollTop = log.scrollHeight - fromEnd;
  } else draw();
}
