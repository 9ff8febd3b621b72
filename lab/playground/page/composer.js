// Where people write.
import { $, attempt, dots, el, toast } from "./dom.js";
import { cancelCommand, isCommandActive, isMenuOpen, menuKey, refreshMenu, sendCommand, startCommands } from "./commands.js";
import { editLast } from "./log.js";
import { on, placeOf, post, state, userName } from "./store.js";

const FILE_LIMIT_BYTES = 10 * 1024 * 1024;
const FILES_LIMIT = 10;
const TYPING_EVERY_MS = 8000;
const text = $("text");
const drafts = new Map();
let replyTo = null;
let files = [];
let lastTyping = 0;
let place = "";

export function startComposer() {
  startCommands();
  on("place", changePlace);
  on("users", changePlace);
  on("typing", drawTyping);
  on("reply", setReply);
  on("suggest", suggest);
  setInterval(drawTyping, 1000);
  text.addEventListener("input", typed);
  text.addEventListener("keydown", keyed);
  text.addEventListener("paste", (event) => addFiles(event.clipboardData.files));
  $("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  $("attach").onclick = () => $("files").click();
  $("files").onchange = () => {
    addFiles($("files").files);
    $("files").value = "";
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    addFiles(event.dataTransfer.files);
  });
}

function changePlace() {
  if (place !== state.current) {
    drafts.set(place, text.value);
    place = state.current;
    if (isCommandActive()) cancelCommand();
    text.value = drafts.get(place) ?? "";
    setReply(null);
    drawTyping();
  }
  typed(null);
}

function suggest(example) {
  text.value = example;
  typed(null);
  text.focus();
}

function typed(event) {
  text.style.height = "auto";
  text.style.height = `${Math.min(text.scrollHeight, innerHeight * 0.4)}px`;
  if (!isCommandActive()) {
    const where = placeOf(state.current);
    const isLocked = Boolean(where?.thread_metadata?.locked);
    for (const control of [text, $("attach")]) control.disabled = isLocked;
    text.placeholder = isLocked ? "This thread has been locked by a moderator." : `Message ${where?.type === 1 ? userName(state.bot.id) : `${where?.parent_id ? "" : "#"}${where?.name ?? ""}`}`;
  }
  $("send").disabled = !isCommandActive() && !text.value.trim() && !files.length;
  refreshMenu();
  if (event?.isTrusted && text.value && !text.value.startsWith("/") && Date.now() - lastTyping > TYPING_EVERY_MS) {
    lastTyping = Date.now();
    post("typing", { channel_id: state.current, user_id: state.speaker }).catch(() => {});
  }
}

function keyed(event) {
  if (isMenuOpen() && menuKey(event)) return;
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    send();
  } else if (event.key === "Escape") {
    if (isCommandActive()) cancelCommand();
    else setReply(null);
  } else if (event.key === "ArrowUp" && !text.value) {
    event.preventDefault();
    editLast();
  }
}

async function send() {
  if (isCommandActive()) {
    if ($("composer").reportValidity()) await sendCommand();
    return;
  }
  const content = text.value;
  if (!content.trim() && !files.length) return;
  const body = { channel_id: state.current, user_id: state.speaker, text: withMentions(content), nonce: crypto.randomUUID().slice(0, 23) };
  if (replyTo) body.reply_to = replyTo.id;
  const sending = { files, replyTo };
  text.value = ""; // before anything is waited for: who presses Enter twice says it once
  files = [];
  lastTyping = 0;
  setReply(null);
  drawFiles();
  typed(null);
  const said = await attempt(async () => {
    if (sending.files.length) body.attachments = await Promise.all(sending.files.map(encoded));
    return post("say", body);
  });
  if (said) return;
  text.value = text.value || content; // what could not be sent is given back
  files = sending.files;
  setReply(sending.replyTo);
  drawFiles();
  typed(null);
}

/** `@Name` becomes a mention Discord understands. */
function withMentions(content) {
  let result = content;
  for (const user of state.users.values()) result = result.replaceAll(`@${userName(user.id)}`, `<@${user.id}>`);
  return result;
}

function setReply(message) {
  replyTo = message;
  const bar = $("reply");
  bar.hidden = !message;
  if (!message) return;
  bar.replaceChildren(el("span", {}, `Replying to ${userName(message.author.id)}: ${message.content.slice(0, 80)}`),
    el("button", { type: "button", "aria-label": "Don't reply", onclick: () => setReply(null) }, "Cancel"));
  text.focus();
}

// ---- files

function addFiles(chosen) {
  for (const file of chosen) {
    if (file.size > FILE_LIMIT_BYTES) toast(`${file.name} is larger than 10 MiB.`);
    else if (files.length >= FILES_LIMIT) toast("A message carries at most ten files.");
    else files = [...files, file];
  }
  drawFiles();
  typed(null);
}

function drawFiles() {
  $("pending").hidden = files.length === 0;
  $("pending").replaceChildren(...files.map((file) => el("li", {}, file.name, el("button", { type: "button", "aria-label": `Remove ${file.name}`, onclick: () => {
    files = files.filter((other) => other !== file);
    drawFiles();
    typed(null);
  } }, "Remove"))));
}

function encoded(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ filename: file.name, content_type: file.type || null, data: reader.result.split(",")[1] ?? "" });
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}

// ---- who is typing

function drawTyping() {
  const now = Date.now();
  const typing = [...(state.typing.get(state.current) ?? [])].filter(([id, end]) => end > now && id !== state.speaker).map(([id]) => id);
  const line = typing.length ? `${typing.map(userName).join(", ")} ${typing.length > 1 ? "are" : "is"} typing…` : "";
  if ($("typing").textContent === line) return;
  $("typing").replaceChildren(...(line ? [dots(), line] : []));
}
