// What the page knows, kept up to date by the live feed. Views subscribe to changes by topic.

const listeners = new Map();

export const state = {
  guild: { name: "Playground" }, bot: { online: false }, you: "", speaker: "", botChannel: "",
  users: new Map(), channels: new Map(), threads: new Map(), dms: new Map(), commands: [],
  current: "", connected: false, hasCompanion: false, localModel: null, unread: new Set(),
  messages: new Map(), // channel id -> { list: oldest first, complete: whether the beginning is loaded }
  typing: new Map(), // channel id -> Map(user id -> end in ms)
};

export const LOADING = 128;
export const PAGE = 50;
const OUR_STORE = "playground.speaker";
const AGAIN_MS = 1_000;

export function on(topic, listener) {
  if (!listeners.has(topic)) listeners.set(topic, []);
  listeners.get(topic).push(listener);
}

export function tell(topic, detail) {
  for (const listener of listeners.get(topic) ?? []) listener(detail);
}

/** What the server says; null if it says nothing, or breaks off. */
export async function get(path) {
  try {
    const response = await fetch(path);
    return response.ok ? await response.json() : null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError || error.name === "AbortError") return null;
    throw error;
  }
}

export async function post(act, body) {
  const response = await fetch(`/control/${act}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) {
    const first = firstError(answer.errors);
    throw new Error(first ? `${answer.message}: ${first}` : answer.message);
  }
  return answer;
}

function firstError(errors) {
  if (!errors || typeof errors !== "object") return "";
  if (errors._errors) return errors._errors[0]?.message ?? "";
  for (const inner of Object.values(errors)) {
    const found = firstError(inner);
    if (found) return found;
  }
  return "";
}

export function placeOf(id) {
  return state.channels.get(id) ?? state.threads.get(id) ?? state.dms.get(id);
}

export function userName(id) {
  const user = state.users.get(id);
  return user ? user.global_name ?? user.username : "someone";
}

// Snowflakes do not fit into numbers: compare as text of possibly different length.
export function compareIds(a, b) {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

export function historyOf(channelId) {
  if (!state.messages.has(channelId)) state.messages.set(channelId, { list: [], loaded: false, complete: false });
  return state.messages.get(channelId);
}

export async function openPlace(id) {
  state.current = id;
  state.unread.delete(id);
  tell("place");
  tell("places");
  if (!historyOf(id).loaded) await loadOlder(id);
  if (state.current !== id) return;
  tell("log");
  if (!historyOf(id).loaded) setTimeout(() => state.current === id && openPlace(id), AGAIN_MS);
}

export async function loadOlder(id) {
  const history = historyOf(id);
  if (history.complete || history.busy) return false;
  history.busy = true;
  try {
    const oldest = history.list.find((message) => !message.visible_to);
    const before = oldest && history.loaded ? `?before=${oldest.id}` : "";
    const found = await get(`/control/channels/${id}/messages${before}`);
    if (!found) return false;
    for (const message of found) insert(history.list, message);
    history.loaded = true;
    history.complete = found.length < PAGE;
    return found.length > 0;
  } finally {
    history.busy = false;
  }
}

function insert(list, message) {
  let at = list.length;
  while (at > 0 && compareIds(list[at - 1].id, message.id) > 0) at -= 1;
  if (at > 0 && list[at - 1].id === message.id) list[at - 1] = message;
  else list.splice(at, 0, message);
}

// ---- the feed

let loading = null; // what came since the newest reload began; null when none is under way

export function follow() {
  const feed = new EventSource("/feed");
  feed.onmessage = ({ data }) => {
    const { t, d } = JSON.parse(data);
    if (t === "PLAYGROUND_HELLO") reload();
    else if (loading) loading.push([t, d]);
    else apply(t, d);
  };
  feed.onerror = () => {
    state.connected = false;
    tell("connection");
  };
}

// What cannot be had now is asked for again: until then all that comes waits.
async function reload() {
  const waiting = [];
  loading = waiting;
  const known = await get("/control/state");
  if (loading !== waiting) return; // a newer reload has begun
  if (!known) {
    setTimeout(() => loading === waiting && reload(), AGAIN_MS);
    return;
  }
  take(known);
  for (const topic of ["connection", "bot", "users", "commands"]) tell(topic);
  const wanted = location.hash.slice(1);
  await openPlace(placeOf(state.current) ? state.current : placeOf(wanted) ? wanted : known.bot_channel);
  if (loading !== waiting) return;
  loading = null;
  for (const [t, d] of waiting) apply(t, d);
}

function take(known) {
  state.guild = known.guild;
  state.bot = known.bot;
  state.you = known.you;
  state.botChannel = known.bot_channel;
  state.commands = known.commands;
  state.hasCompanion = known.has_companion;
  state.localModel = known.local_model;
  for (const [key, entries] of [["users", known.users], ["channels", known.channels], ["threads", known.threads], ["dms", known.dms]]) {
    state[key] = new Map(entries.map((entry) => [entry.id, entry]));
  }
  const stored = sessionStorage.getItem(OUR_STORE);
  state.speaker = state.users.has(state.speaker) ? state.speaker : state.users.has(stored) ? stored : known.you;
  state.messages.clear();
  state.connected = true;
}

export function speakAs(userId) {
  state.speaker = userId;
  sessionStorage.setItem(OUR_STORE, userId);
  tell("users");
  tell("log");
}

const handlers = {
  MESSAGE_CREATE: (d) => received(d, true),
  MESSAGE_UPDATE: (d) => received(d, false),
  MESSAGE_DELETE: (d) => removed(d.channel_id, [d.id]),
  MESSAGE_DELETE_BULK: (d) => removed(d.channel_id, d.ids),
  MESSAGE_REACTION_ADD: (d) => reacted(d, 1),
  MESSAGE_REACTION_REMOVE: (d) => reacted(d, -1),
  PLAYGROUND_EPHEMERAL_CREATE: (d) => received(d, true),
  PLAYGROUND_EPHEMERAL_UPDATE: (d) => received(d, false),
  PLAYGROUND_EPHEMERAL_DELETE: (d) => removed(d.channel_id, [d.id]),
  TYPING_START: (d) => {
    if (!state.typing.has(d.channel_id)) state.typing.set(d.channel_id, new Map());
    state.typing.get(d.channel_id).set(d.user_id, Date.now() + 10000);
    tell("typing");
  },
  CHANNEL_CREATE: (d) => placed(state.channels, d),
  CHANNEL_UPDATE: (d) => placed(state.channels, d),
  CHANNEL_DELETE: (d) => gone(state.channels, d),
  THREAD_CREATE: (d) => placed(state.threads, d),
  THREAD_UPDATE: (d) => placed(state.threads, d),
  THREAD_DELETE: (d) => gone(state.threads, d),
  GUILD_MEMBER_ADD: (d) => {
    state.users.set(d.user.id, d.user);
    tell("users");
  },
  PLAYGROUND_BOT: (d) => {
    Object.assign(state.bot, d);
    tell("bot");
  },
  PLAYGROUND_COMMANDS: (d) => {
    state.commands = d.commands;
    tell("commands");
  },
};

function apply(name, payload) {
  handlers[name]?.(payload);
}

function received(message, isNew) {
  const history = historyOf(message.channel_id);
  const known = history.list.some((entry) => entry.id === message.id);
  if (!isNew && !known && !message.visible_to) return;
  insert(history.list, message);
  state.typing.get(message.channel_id)?.delete(message.author.id);
  tell("typing");
  if (message.channel_id === state.current) tell("message", message);
  else if (isNew && !message.visible_to) {
    if (!placeOf(message.channel_id)) return;
    state.unread.add(message.channel_id);
    tell("places");
  }
}

function removed(channelId, ids) {
  const history = historyOf(channelId);
  history.list = history.list.filter((message) => !ids.includes(message.id));
  if (channelId === state.current) tell("removed", ids);
}

function reacted(d, step) {
  const message = historyOf(d.channel_id).list.find((entry) => entry.id === d.message_id);
  if (!message) return;
  const reactions = (message.reactions ??= []);
  let entry = reactions.find((one) => one.emoji.name === d.emoji.name);
  if (!entry) reactions.push((entry = { emoji: d.emoji, count: 0 }));
  entry.count += step;
  if (d.user_id === state.speaker) entry.mine = step > 0;
  if (entry.count <= 0) reactions.splice(reactions.indexOf(entry), 1);
  if (d.channel_id === state.current) tell("message", message);
}

function placed(places, place) {
  places.set(place.id, { ...places.get(place.id), ...place });
  tell("places");
  if (place.id === state.current) tell("place");
}

function gone(places, place) {
  places.delete(place.id);
  state.unread.delete(place.id);
  tell("places");
  if (place.id === state.current) openPlace(place.parent_id ?? state.botChannel);
}
