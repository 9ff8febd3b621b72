// Button for a model on this machine: it says what is fetched, asks first, and then chooses the model here.
import { $, ask, attempt, toast } from "./dom.js";
import { interact } from "./extras.js";
import { get, on, post, state } from "./store.js";

const LOOK_MS = 2_000;

export function startLocalModel() {
  on("connection", draw);
  $("local-model").onclick = choose;
}

function draw() {
  const offer = state.localModel;
  $("local-model").hidden = !offer;
  if (!offer) return;
  $("local-model").disabled = offer.is_fetching;
  $("local-model").textContent = offer.is_fetching ? `Fetching ${offer.name}…` : `Answer by ${offer.name}${offer.is_here ? "" : "…"}`;
}

async function choose() {
  const place = state.current;
  if (!state.localModel.is_here && !(await fetchModel())) return;
  const body = { channel_id: place, user_id: state.speaker, command: "model", options: { name: state.localModel.name } };
  await interact("slash", body);
}

/** True once the file is here; false if the person declines or it cannot be had. */
async function fetchModel() {
  if (!(await ask(`Fetch ${state.localModel.name}?`, "Fetch it", [], state.localModel.notice))) return false;
  if (!(await attempt(() => post("fetch_model", {})))) return false;
  do {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    state.localModel = (await get("/control/state"))?.local_model ?? state.localModel;
    draw();
  } while (state.localModel.is_fetching);
  if (!state.localModel.is_here) toast(state.localModel.problem);
  return state.localModel.is_here;
}
