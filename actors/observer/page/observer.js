/* Observer: what comes by server-sent events is drawn; what belongs to a finished turn is asked for then. */
import { ask, by } from "./dom.js";
import { drawActors, drawFigures, drawLog, drawMemory, drawReminders, drawUsage } from "./panels.js";
import { drawTurn } from "./waterfall.js";
import { WindowList } from "./windows.js";

const REMINDERS_EVERY_MS = 10_000;
let source = null;
let chosen = "";
let asked = "";

const windows = new WindowList((key) => follow(key));

function live(is, words) {
  by("state").classList.toggle("live", is);
  by("state_text").textContent = words;
}

function follow(window) {
  chosen = window;
  asked = "";
  by("turn_title").textContent = window ? "The newest turn there" : "The newest turn";
  by("follow").hidden = !window;
  source?.close();
  source = new EventSource(`/events?window=${encodeURIComponent(window)}`);
  source.addEventListener("open", () => live(true, "live"));
  source.addEventListener("error", () => live(false, "not connected; trying again"));
  source.addEventListener("actors", ({ data }) => {
    const said = JSON.parse(data);
    drawActors(said.kinds, said.crash);
    windows.take(said.windows);
  });
  source.addEventListener("turn", ({ data }) => takeTurn(JSON.parse(data)));
  source.addEventListener("figures", ({ data }) => drawFigures(JSON.parse(data)));
  if (window) askAbout(window);
}

function takeTurn(turn) {
  drawTurn(turn);
  const key = `${turn.window} ${turn.turn} ${turn.outcome}`;
  if (turn.outcome && key !== asked) {
    asked = key;
    askAbout(turn.window);
  }
}

async function askAbout(window) {
  const about = encodeURIComponent(window);
  const [memory, log] = await Promise.all([ask(`/memory?window=${about}`), ask(`/log?window=${about}`)]);
  if (chosen && chosen !== window) return;
  drawMemory(memory);
  drawLog(log);
  drawReminders(await ask("/reminders"));
  drawUsage(await ask("/usage"));
}

by("follow").addEventListener("click", () => {
  windows.chosen = "";
  windows.draw();
  follow("");
});
follow("");
ask("/memory?window=").then((memory) => {
  if (asked || !memory.window) return; // the newest turn from before this page was opened
  drawMemory(memory);
  ask(`/log?window=${encodeURIComponent(memory.window)}`).then(drawLog);
});
ask("/usage").then(drawUsage);
const reminders = () => ask("/reminders").then(drawReminders, () => live(false, "not connected; trying again"));
reminders();
setInterval(() => document.hidden || reminders(), REMINDERS_EVERY_MS);
