// Things to try: each is really said to the bot, and ticked once it has really answered.
import { $, attempt, el, icon, toast } from "./dom.js";
import { compareIds, historyOf, on, openPlace, post, state } from "./store.js";

const DONE = "playground.tour";
const PATIENCE_MS = 90_000;
const LOOK_MS = 150;
const LIST = "tea\nbread\napples\n";

const THINGS = [
  {
    id: "command", label: "Have it run a command",
    shows: "It ran in a sandbox that sees this channel's folder, and no network.",
    act: () => exchange(state.botChannel, { text: "run: echo $((6*7)); id -un; ls" }),
  },
  {
    id: "memory", label: "Tell it something, ask for it in a thread",
    shows: "The thread knows nothing of the channel: memory found it, in the logs, and no model was asked to.",
    act: askInThread,
  },
  {
    id: "reminder", label: "Be reminded in a minute",
    shows: "It stands in reminders.md, which you may edit as well, and is said here in a minute.",
    act: () => exchange(state.botChannel, { text: "Please remind me in 1 minute to stretch." }),
  },
  {
    id: "kill", label: "Kill it with -9 while it answers", needsBot: true,
    shows: "Its process was killed; a new one read the log and told what had become of the command: once, and not run twice.",
    act: killWhileItAnswers,
  },
  {
    id: "file", label: "Send it a file",
    shows: "It read the file in the sandbox, sorted it there, and sent the result back.",
    act: sendFile,
  },
];

const done = new Set(JSON.parse(sessionStorage.getItem(DONE) ?? "[]"));
let running = "";
const lists = new Set();

export function startTour() {
  const box = tourList();
  box.id = "tour-list";
  $("tour").append(box);
  on("connection", drawAll);
}

/** The things to try, as a list of buttons that keeps itself up to date. */
export function tourList() {
  const list = el("ul", { className: "tour" });
  lists.add(new WeakRef(list));
  draw(list);
  return list;
}

function drawAll() {
  for (const each of lists) {
    const list = each.deref();
    if (list) draw(list);
    else lists.delete(each);
  }
  $("tour-count").textContent = `${done.size} of ${shown().length}`;
}

const shown = () => THINGS.filter((thing) => !thing.needsBot || state.hasCompanion);

function draw(list) {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.thing : "";
  list.replaceChildren(...shown().map((thing) => el("li", {}, button(thing), done.has(thing.id) ? el("small", {}, thing.shows) : null)));
  if (focused) list.querySelector(`[data-thing="${focused}"]`)?.focus();
}

function button(thing) {
  const isDone = done.has(thing.id);
  const mark = el("span", { className: `tick${isDone ? " done" : ""}`, "aria-hidden": "true" }, isDone ? "✓" : "");
  const said = running === thing.id ? "Waiting for it…" : thing.label;
  return el("button", {
    type: "button", className: "thing", disabled: Boolean(running) && running !== thing.id, "data-thing": thing.id,
    "aria-label": `${said}${isDone ? ", done" : ""}`, onclick: () => run(thing),
  }, mark, el("span", {}, said));
}

async function run(thing) {
  if (running) return;
  running = thing.id;
  drawAll();
  try {
    if (await attempt(thing.act)) {
      done.add(thing.id);
      sessionStorage.setItem(DONE, JSON.stringify([...done]));
      toast(thing.shows, true);
    }
  } finally {
    running = "";
    drawAll();
  }
}

// ---- what is said

/** Say something in a place, shown meanwhile; the bot's answer, when one has come that is whole and fits. */
async function exchange(place, body, fits = () => true) {
  if (state.current !== place) await openPlace(place);
  const said = await post("say", { channel_id: place, user_id: state.speaker, nonce: crypto.randomUUID().slice(0, 23), ...body });
  return answered(place, said.id, fits);
}

async function answered(place, after, fits) {
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    const found = historyOf(place).list.find((message) =>
      message.author.id === state.bot.id && compareIds(message.id, after) > 0 && !message.components.length && fits(message));
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error("The bot has not answered for a minute and a half.");
}

async function askInThread() {
  await exchange(state.botChannel, { text: "The spare key is under the blue pot behind the shed." });
  const thread = await post("thread", { channel_id: state.botChannel, name: "Where things are", private: false, user_id: state.speaker });
  return exchange(thread.id, { text: "Where is the spare key?" }, (message) => message.content.includes("blue pot"));
}

async function killWhileItAnswers() {
  const word = `still here ${Math.floor(1000 + 9000 * Math.random())}`;
  const answer = exchange(state.botChannel, { text: `run: sleep 3; echo ${word}` }, (message) => message.content.includes(word));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await post("kill", {});
  return answer;
}

async function sendFile() {
  const attachments = [{ filename: "shopping.txt", content_type: "text/plain", data: btoa(LIST) }];
  await exchange(state.botChannel, { text: "run: find attachments -name '*shopping.txt' -exec sort {} + > sorted.txt; cat sorted.txt", attachments }, (message) => message.content.includes("apples"));
  return exchange(state.botChannel, { text: "send me sorted.txt" }, (message) => message.attachments.length > 0);
}

/** Show the bot's actors beside the chat, or in a tab of their own where there is no room. */
export function startActors() {
  const button = $("actors");
  button.append(icon("actors"), el("span", {}, "Actors"));
  on("connection", () => (button.hidden = !state.hasCompanion));
  button.onclick = () => {
    if (innerWidth < 1100) return open("/observer", "_blank", "noopener");
    const pane = $("observer");
    const isShown = pane.hidden;
    pane.hidden = !isShown;
    document.body.classList.toggle("beside", isShown);
    button.setAttribute("aria-pressed", String(isShown));
    if (isShown && !pane.src) pane.src = "/observer";
    return undefined;
  };
}
