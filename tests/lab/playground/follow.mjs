// Follows a feed with the page's own store, whose requests are answered when and how this says: what it knows then, on standard output.
let feed = null;
globalThis.EventSource = class {
  constructor() {
    feed = this;
  }
};
globalThis.sessionStorage = { getItem: () => null, setItem: () => {} };
globalThis.location = { hash: "" };
globalThis.setTimeout = (act) => timers.push(act);
const timers = [];
const requests = [];
globalThis.fetch = (path) => new Promise((resolve, reject) => requests.push({ path, resolve, reject }));

const { follow, state } = await import(`${process.argv[2]}/store.js`);
const scenario = process.argv[3];

const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};
const come = async (t, d = {}) => {
  feed.onmessage({ data: JSON.stringify({ t, d }) });
  await turns();
};
const answer = async (at, said, ok = true) => {
  requests[at].resolve({ ok, json: async () => said });
  await turns();
};
const known = (guild) => ({
  guild: { name: guild }, bot: { id: "1" }, you: "2", bot_channel: "10", commands: [], has_companion: false,
  users: [{ id: "2", username: "ada" }], channels: [{ id: "10", name: "bot" }], threads: [], dms: [],
});

follow();
await come("PLAYGROUND_HELLO");
if (scenario === "half") {
  await answer(0, known("again"));
  await answer(1, { message: "Internal Server Error" }, false);
  for (const act of timers.splice(0)) act();
  await answer(2, []);
} else if (scenario === "lost") {
  requests[0].reject(new TypeError("fetch failed"));
  await turns();
  for (const act of timers.splice(0)) act();
  await answer(1, known("again"));
  await answer(2, []);
} else {
  await come("PLAYGROUND_HELLO");
  await answer(1, known("newer"));
  await answer(2, []);
  await answer(0, known("older"));
}
await come("CHANNEL_CREATE", { id: "11", name: "made later" });
process.stdout.write(JSON.stringify({ guild: state.guild.name, channels: [...state.channels.keys()], requests: requests.length }));
