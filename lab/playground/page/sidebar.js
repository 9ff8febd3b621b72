// Channels with their threads, the bot's state, who speaks, and trouble.
import { $, ask, attempt, el, icon, toast } from "./dom.js";
import { compareIds, on, openPlace, placeOf, post, speakAs, state, tell, userName } from "./store.js";

const NEW_PERSON = "new";
const THREADS_SHOWN = 200;

const TROUBLES = [
  ["Drop the bot's connection", "drop", {}],
  ["Ask the bot to reconnect", "op7", {}],
  ["Silence the connection", "zombie", {}],
  ["Fail the bot's next message (503)", "fault", { kind: "503", match: "POST /channels/\\d+/messages$" }],
  ["Lose the answer to the bot's next message", "fault", { kind: "abort-after", match: "POST /channels/\\d+/messages$" }],
];

export function startSidebar() {
  on("places", draw);
  on("users", drawSpeakers);
  on("bot", drawBot);
  on("connection", drawBot);
  on("place", drawPlace);
  $("menu").onclick = () => openDrawer(true);
  $("veil").onclick = () => openDrawer(false);
  document.addEventListener("keydown", (event) => event.key === "Escape" && $("side").classList.contains("open") && openDrawer(false));
  $("new-thread").onclick = newThread;
  $("archive").onclick = toggleArchive;
  $("speaker").onchange = chooseSpeaker;
  $("theme").onclick = switchTheme;
  on("connection", () => ($("kill").hidden = !state.hasCompanion));
  $("troubles").append(el("button", { type: "button", id: "kill", hidden: true, onclick: () => cause("Kill the bot with -9", "kill", {}) }, "Kill the bot with -9"));
  $("troubles").append(...TROUBLES.map(([label, act, body]) => el("button", { type: "button", onclick: () => cause(label, act, body) }, label)));
}

async function cause(label, act, body) {
  if (await attempt(() => post(act, body))) toast(`Done: ${label.toLowerCase()}.`, true);
}

function openDrawer(open) {
  $("side").classList.toggle("open", open);
  $("veil").hidden = !open;
  $("menu").setAttribute("aria-expanded", String(open));
  if (open) $("places").querySelector("button")?.focus();
  else if (document.activeElement?.closest("#side")) $("menu").focus();
}

// ---- places

function draw() {
  $("guild").textContent = state.guild.name;
  const byParent = Map.groupBy ? Map.groupBy(shownThreads(), (t) => t.parent_id) : grouped(shownThreads());
  const channels = [...state.channels.values()].sort((a, b) => a.position - b.position);
  const items = channels.map((channel) => {
    const threads = (byParent.get(channel.id) ?? []).map((thread) => el("li", {}, placeButton(thread, threadIcon(thread))));
    return el("li", {}, placeButton(channel, "hash"), threads.length ? el("ul", { "aria-label": `Threads of ${channel.name}` }, ...threads) : null);
  });
  const dm = el("button", { className: "place", type: "button", onclick: openDm }, icon("person"), el("span", {}, userName(state.bot.id)));
  const mine = dmOf(state.speaker);
  if (mine && mine.id === state.current) dm.setAttribute("aria-current", "page");
  if (mine && state.unread.has(mine.id)) dm.classList.add("unread");
  const focused = document.activeElement?.dataset?.place;
  $("places").replaceChildren(el("h2", {}, "Channels"), el("ul", {}, ...items), el("h2", {}, "Direct message"), el("ul", {}, el("li", {}, dm)));
  if (focused) $("places").querySelector(`[data-place="${focused}"]`)?.focus();
}

function shownThreads() {
  const all = [...state.threads.values()].filter((thread) => !thread.thread_metadata.archived || thread.id === state.current);
  return all.sort((a, b) => compareIds(b.last_message_id ?? b.id, a.last_message_id ?? a.id)).slice(0, THREADS_SHOWN);
}

function grouped(threads) {
  const groups = new Map();
  for (const thread of threads) groups.set(thread.parent_id, [...(groups.get(thread.parent_id) ?? []), thread]);
  return groups;
}

function placeButton(place, iconName) {
  const button = el("button", { className: "place", type: "button", "data-place": place.id, onclick: () => go(place.id) }, icon(iconName), el("span", {}, place.name));
  if (place.id === state.current) button.setAttribute("aria-current", "page");
  if (place.thread_metadata?.archived) button.classList.add("archived");
  if (state.unread.has(place.id)) {
    button.classList.add("unread");
    button.setAttribute("aria-label", `${place.name}, unread`);
  }
  return button;
}

async function go(id) {
  openDrawer(false);
  history.replaceState(null, "", `#${id}`);
  await openPlace(id);
  if (matchMedia("(hover: hover)").matches) $("text").focus();
}

function dmOf(userId) {
  return [...state.dms.values()].find((dm) => dm.recipients.some((user) => user.id === userId));
}

async function openDm() {
  const dm = dmOf(state.speaker) ?? await attempt(() => post("dm", { user_id: state.speaker }));
  if (!dm) return;
  state.dms.set(dm.id, dm);
  await go(dm.id);
}

function drawPlace() {
  const place = placeOf(state.current);
  if (!place) return;
  const isDm = place.type === 1;
  const kind = isDm ? "person" : place.parent_id ? threadIcon(place) : "hash";
  $("place").replaceChildren(icon(kind), el("span", {}, isDm ? userName(state.bot.id) : place.name));
  $("topic").textContent = place.parent_id ? `Thread in #${placeOf(place.parent_id)?.name ?? ""}` : place.topic ?? (place.id === state.botChannel ? "The bot's channel" : "");
  $("new-thread").hidden = place.type !== 0;
  $("archive").hidden = !place.parent_id;
  if (place.parent_id) $("archive").textContent = place.thread_metadata.archived ? "Open again" : "Archive";
  document.title = `${isDm ? userName(state.bot.id) : place.name} · ${state.guild.name}`;
}

function threadIcon(thread) {
  return thread.type === 12 || thread.thread_metadata?.locked ? "lock" : "thread";
}

async function newThread() {
  const answer = await ask("New thread", "Create", [
    { name: "name", label: "Name", limit: 100 },
    { name: "private", label: "Private: only you and the bot", type: "check" },
  ]);
  if (!answer) return;
  const made = await attempt(() => post("thread", { channel_id: state.current, name: answer.name, private: answer.private, user_id: state.speaker }));
  if (made) await go(made.id);
}

async function toggleArchive() {
  const place = placeOf(state.current);
  await attempt(() => post("thread_change", { thread_id: place.id, archived: !place.thread_metadata.archived }));
}

// ---- the bot and the speaker

function drawBot() {
  const { online } = state.bot;
  const name = userName(state.bot.id);
  $("bot").replaceChildren(el("span", { className: `dot${online ? " online" : ""}` }), `${name} is ${online ? "online" : "offline"}`);
  $("banner").hidden = state.connected && online;
  $("banner").textContent = !state.connected ? "The playground has stopped. This page comes back by itself when it runs again." : `${name} is not connected.`;
}

function drawSpeakers() {
  const people = [...state.users.values()].filter((user) => !user.bot);
  $("speaker").replaceChildren(...people.map((user) => el("option", { value: user.id, selected: user.id === state.speaker }, userName(user.id))),
    el("option", { value: NEW_PERSON }, "Somebody new…"));
}

async function chooseSpeaker() {
  const chosen = $("speaker").value;
  if (chosen !== NEW_PERSON) return speakAs(chosen);
  const answer = await ask("Somebody new", "Add", [{ name: "name", label: "Name", limit: 32 }]);
  const made = answer && await attempt(() => post("user", { name: answer.name }));
  if (!made) return drawSpeakers();
  if (!state.users.has(made.id)) state.users.set(made.id, { id: made.id, username: answer.name, global_name: answer.name, bot: false });
  return speakAs(made.id);
}

export function applyTheme() {
  const stored = localStorage.getItem("playground.theme");
  if (stored) document.documentElement.dataset.theme = stored;
}

function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("playground.theme", root.dataset.theme);
  tell("theme");
}
