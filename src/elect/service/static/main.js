// The page put together: an edit becomes an election, the election becomes winners and pictures.

import { fromHash, toHash } from "./address.js";
import { download, get, latest, post, starting } from "./api.js";
import { readLines } from "./ballots.js";
import { createBring } from "./bring.js";
import { createCandidates } from "./candidates.js";
import { $, count, say } from "./dom.js";
import { EXAMPLE } from "./example.js";
import { majorities } from "./majorities.js";
import { margins } from "./margins.js";
import { places } from "./places.js";
import { rounds } from "./rounds.js";
import { createStore, decidable, names, toService, voters } from "./state.js";
import { createTable } from "./table.js";
import { welfare } from "./welfare.js";
import { createWinners } from "./winners.js";

const LONGEST = 2 ** 20; // Letters of an address that browsers still keep.

const store = createStore();
const winners = createWinners(store);
const pictures = [margins(), majorities(), places(), rounds()];
const fromCulture = welfare();

// ---------------------------------------------------------------------- counting

let first = null; // The rules that are asked first: all but those that come trained.
let shelf = []; // And these.

const askShelf = latest(
  (election) => post("/v1/winners", { ...toService(election), rules: shelf }),
  (result) => winners.renderShelf(result.rules),
  () => {}, // What is wrong has been told already.
);

const ask = latest(
  (election) =>
    post("/v1/winners", { ...toService(election), ...(first ? { rules: first } : {}) }),
  (result, election) => {
    settle();
    if (failing) fail(null);
    failing = false;
    winners.render(result);
    measure();
    if (shelf.length) askShelf(election);
    const number = new Map(names(election).map((name, c) => [name, c]));
    result.colours = result.candidates.map((name) => number.get(name));
    // Pictures come a moment after the winners, so that these are not kept waiting.
    setTimeout(() => pictures.forEach((picture) => picture.show(result)));
  },
  async (error, election) => {
    settle();
    failing = true;
    const soon = await starting(error);
    fail(error);
    if (soon && election === store.election) recount();
  },
);

let busy = 0;
let failing = false; // Whether the trouble on show is that of counting.

function recount() {
  clearTimeout(busy);
  if (!decidable(store.election)) {
    ask.forget();
    askShelf.forget();
    settle();
    performance.clearMarks("edit");
    winners.clear("Winners appear as soon as there is a ballot.");
    pictures.forEach((picture) => picture.show(null));
    return;
  }
  busy = setTimeout(() => ($("busy").hidden = false), 300);
  ask(store.election);
}

function settle() {
  clearTimeout(busy);
  $("busy").hidden = true;
}

/** From an edit until its winners are painted, for whoever wants to know: see performance. */
function measure() {
  requestAnimationFrame(() =>
    setTimeout(() => {
      if (!performance.getEntriesByName("edit").length) return;
      performance.measure("edit-to-winners", "edit");
      performance.clearMarks("edit");
    }),
  );
}

store.listen((_, what) => {
  if (what) fail(null);
  performance.clearMarks("edit");
  performance.mark("edit");
  recount();
});

// ---------------------------------------------------------------------- the frame

store.listen((election, what) => {
  const empty = !election.candidates.length && !election.ballots.length;
  const standing = election.candidates.filter(({ absent }) => !absent).length;
  say(
    $("size"),
    empty ? "" : `${count(voters(election), "voter")}, ${count(standing, "candidate")}`,
  );
  $("empty").hidden = !empty;
  $("editor").hidden = $("clear").hidden = empty;
  $("welcome").hidden = election !== shown;
  $("example").hidden = empty || election === shown;
  $("undo").disabled = !store.canUndo;
  $("redo").disabled = !store.canRedo;
  if (/^(Undone|Done again)/.test(what)) toast(what);
});

let shown = null; // The example, as long as nobody has changed it.

function fail(error) {
  $("trouble").hidden = !error;
  say($("trouble"), error?.message ?? "");
}

let fading = 0;

function toast(text) {
  clearTimeout(fading);
  say($("toast"), text);
  $("toast").hidden = false;
  fading = setTimeout(() => ($("toast").hidden = true), 3000);
}

$("undo").addEventListener("click", store.undo);
$("redo").addEventListener("click", store.redo);
window.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target === $("lines")) return;
  const key = event.key.toLowerCase();
  const act =
    key === "z" ? (event.shiftKey ? store.redo : store.undo) : key === "y" ? store.redo : null;
  if (!act) return;
  event.preventDefault();
  act();
});

// The address holds the election, so links within the page leave it alone.
for (const link of document.querySelectorAll('a[href^="#"]')) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const part = $(link.hash.slice(1));
    part.scrollIntoView();
    part.focus({ preventScroll: true });
  });
}

$("theme").addEventListener("click", () => {
  const theme = dark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  $("theme").setAttribute("aria-pressed", theme === "dark");
  try {
    localStorage.setItem("elect-theme", theme);
  } catch {
    // As in theme.js.
  }
});

function dark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// ---------------------------------------------------------------------- the address, and files

let saving = 0;
let written = location.hash;

store.listen(() => {
  clearTimeout(saving);
  saving = setTimeout(save, 250); // Browsers refuse addresses that change too often.
});

/** Write the election into the address; whether it has found room there. */
async function save() {
  clearTimeout(saving);
  const hash = await toHash(store.election);
  if (hash.length > LONGEST) return false;
  written = hash;
  history.replaceState(null, "", location.pathname + location.search + hash);
  return true;
}

async function open() {
  try {
    const election = await fromHash(location.hash);
    shown = election ? null : readLines(EXAMPLE);
    store.begin(election ?? shown);
  } catch (error) {
    store.begin((shown = readLines(EXAMPLE)));
    fail(error);
  }
}

window.addEventListener("hashchange", async () => {
  if (location.hash === written || !location.hash.startsWith("#e=")) return;
  try {
    store.change(await fromHash(location.hash), "election of a link");
  } catch (error) {
    fail(error);
  }
});

$("share").addEventListener("click", async () => {
  if (!(await save()))
    return fail(new Error("This election is too large for a link; save it as a file instead."));
  try {
    await navigator.clipboard.writeText(location.href);
    toast("Link copied.");
  } catch {
    toast("Copy the address of this page: it is the link.");
  }
});

for (const format of ["preflib", "csv"]) {
  $(format).addEventListener("click", async () => {
    try {
      const { name, text } = await download("/v1/export", { ...toService(store.election), format });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      link.download = name ?? `election.${format === "csv" ? "csv" : "soi"}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (error) {
      fail(error);
    }
  });
}

// ---------------------------------------------------------------------- begin

$("theme").setAttribute("aria-pressed", dark());
$("figures").append(...[...pictures, fromCulture].map(({ element }) => element));
createTable(store);
createCandidates(store);
createBring(store, { fail });
get("/v1/rules").then((rules) => {
  winners.define(rules);
  const called = (some) => rules.filter(some).map(({ name }) => name);
  shelf = called(({ kind }) => kind === "shelf");
  // A scoring rule is none without its vector.
  first = called(({ kind, name }) => kind !== "shelf" && name !== "scoring");
}, fail);
open();
