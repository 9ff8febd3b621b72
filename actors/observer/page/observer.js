/* Observer: what comes by server-sent events is drawn; what belongs to a finished turn is asked for then. */
import { ask, by, make } from "./dom.js";
import { drawActors, drawFigures, drawLog, drawMemory, drawReminders, drawSkills, drawUsage } from "./panels.js";
import { drawTurn } from "./waterfall.js";
import { WindowList } from "./windows.js";

const REASONS_EVERY_MS = 2_000; // at most, however many turns end
const SUMS_EVERY_MS = 10_000;
const SETTLED_MS = 120; // after the last key by which a window was chosen
let source = null;
let chosen = "";
let asked = "";
let wanted = null;
let isAsking = false;
let settling = 0;

const windows = new WindowList((key) => choose(key));

function live(is, words) {
  by("state").classList.toggle("live", is);
  by("state_text").textContent = words;
}

/* The agent's tokens change with each start of it; a browser does not ask again after a refusal. */
function lost() {
  const isRefused = source.readyState === EventSource.CLOSED;
  live(false, isRefused ? "the agent was started anew: open its new address, in observer.json" : "not connected; trying again");
}

function listen() {
  const before = source;
  source = new EventSource(`/events?window=${encodeURIComponent(chosen)}`);
  source.addEventListener("open", () => live(true, "live"));
  source.addEventListener("error", lost);
  source.addEventListener("actors", ({ data }) => {
    const said = JSON.parse(data);
    drawActors(said.kinds, said.crash);
    windows.take(said.windows);
  });
  source.addEventListener("turn", ({ data }) => takeTurn(JSON.parse(data)));
  source.addEventListener("figures", ({ data }) => drawFigures(JSON.parse(data)));
  before?.close(); // after the new one is asked for, so that the server goes on hearing
}

function choose(window) {
  chosen = window;
  asked = "";
  by("turn_title").textContent = window ? "The newest turn there" : "The newest turn";
  by("follow").hidden = !window;
  clearTimeout(settling);
  settling = setTimeout(follow, SETTLED_MS);
}

function follow() {
  if (chosen) {
    by("turn_of").textContent = chosen;
    by("turn").replaceChildren(make("p", { class: "empty", textContent: "No turn of it was heard since this page was opened." }));
    drawReasons(chosen);
  }
  listen();
}

function takeTurn(turn) {
  if (chosen && turn.window !== chosen) return;
  drawTurn(turn);
  const key = `${turn.window} ${turn.turn} ${turn.outcome}`;
  if (turn.outcome && key !== asked) {
    asked = key;
    askAbout(turn.window);
  }
}

/* The newest that is wanted, so often at most. */
async function askAbout(window) {
  wanted = window;
  if (isAsking) return;
  isAsking = true;
  try {
    while (wanted !== null) {
      const about = wanted;
      wanted = null;
      if (!chosen || chosen === about) await drawReasons(about);
      await new Promise((resolve) => setTimeout(resolve, REASONS_EVERY_MS));
    }
  } finally {
    isAsking = false;
  }
}

async function drawReasons(window) {
  const about = encodeURIComponent(window);
  const [memory, log, reminders] = await Promise.all([ask(`/memory?window=${about}`), ask(`/log?window=${about}`), ask("/reminders")]);
  if (chosen && chosen !== window) return;
  if (memory) drawMemory(memory);
  if (log) drawLog(log);
  if (reminders) drawReminders(reminders);
}

async function drawSums() {
  const [reminders, usage, skills] = await Promise.all([ask("/reminders"), ask("/usage"), ask("/skills")]);
  if (reminders) drawReminders(reminders);
  if (skills) drawSkills(skills);
  if (usage) drawUsage(usage);
}

by("follow").addEventListener("click", () => {
  windows.chosen = "";
  windows.draw();
  choose("");
});
/* Who does not see the page does not look: the agent measures nothing for it. */
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) return listen();
  source.close();
  live(false, "rests while it is not seen");
});
listen();
ask("/memory?window=").then(async (memory) => {
  if (asked || !memory?.window) return; // the newest turn from before this page was opened
  drawMemory(memory);
  const log = await ask(`/log?window=${encodeURIComponent(memory.window)}`);
  if (log && !asked) drawLog(log);
});
drawSums();
setInterval(() => document.hidden || drawSums(), SUMS_EVERY_MS);
