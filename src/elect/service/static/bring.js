// Where ballots come from: a file, the clipboard, a culture, the example.

import { get, latest, post } from "./api.js";
import { guess, readLines } from "./ballots.js";
import { $, h, say } from "./dom.js";
import { EXAMPLE } from "./example.js";
import { EMPTY, fromService } from "./state.js";
import { title } from "./winners.js";

const LARGEST = 64 * 2 ** 20;

// Of the settings that cultures have, those that a slider can set: least, most, step and start.
const SLIDERS = {
  phi: ["Dispersion φ", 0, 1, 0.05, 0.8],
  alpha: ["Concentration α", 0.05, 3, 0.05, 0.5],
  dimension: ["Dimensions", 1, 5, 1, 2],
};

export function createBring(store, { fail }) {
  const panels = { paste: $("open-paste"), sample: $("open-sample") };

  function open(name) {
    for (const [panel, button] of Object.entries(panels)) {
      const shown = panel === name && $(panel).hidden;
      $(panel).hidden = !shown;
      button.setAttribute("aria-expanded", shown);
    }
  }

  /** Take the ballots of a text, whatever its form. */
  async function read(text, filename) {
    try {
      const format = guess(text, filename);
      const election =
        format === "lines"
          ? readLines(text)
          : fromService(await post("/v1/parse", { text, format, ...(filename && { filename }) }));
      store.change(election, filename ? `ballots of ${filename}` : "ballots pasted");
      return true;
    } catch (error) {
      fail(error);
      return false;
    }
  }

  async function readFile(file) {
    if (!file) return;
    if (file.size > LARGEST)
      return fail(
        new Error(`${file.name} is too large for this page; count it with elect winner.`),
      );
    const text = await file.text();
    if (text.includes("\0"))
      return fail(new Error(`${file.name} is not text; give a PrefLib or CSV file.`));
    await read(text, file.name.slice(-200));
  }

  $("file").addEventListener("change", async ({ target }) => {
    await readFile(target.files[0]);
    target.value = ""; // The same file may be chosen again.
  });
  panels.paste.addEventListener("click", () => {
    open("paste");
    if (!$("paste").hidden) $("lines").focus();
  });
  panels.sample.addEventListener("click", () => open("sample"));
  $("paste").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await read($("lines").value)) open(null);
  });
  $("lines").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("paste").requestSubmit();
  });
  for (const button of ["example", "start"])
    $(button).addEventListener("click", () => store.change(readLines(EXAMPLE), "example"));
  $("clear").addEventListener("click", () => store.change(EMPTY, "ballots cleared"));
  acceptDrops(readFile, read);
  createSampler(store, fail);
}

/** Files dropped anywhere, and ballots pasted anywhere but into a field. */
function acceptDrops(readFile, read) {
  const carries = (event) =>
    [...(event.dataTransfer?.types ?? [])].some(
      (type) => type === "Files" || type === "text/plain",
    );
  let depth = 0;
  const show = (change) => {
    depth = Math.max(0, depth + change);
    $("drop").hidden = depth === 0;
  };
  window.addEventListener("dragenter", (event) => carries(event) && show(1));
  window.addEventListener("dragleave", (event) => carries(event) && show(-1));
  window.addEventListener("dragover", (event) => carries(event) && event.preventDefault());
  window.addEventListener("drop", (event) => {
    show(-Infinity);
    if (event.target.matches?.("input, textarea") && !event.dataTransfer.files.length) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) readFile(file);
    else if (event.dataTransfer.getData("text/plain").trim())
      read(event.dataTransfer.getData("text/plain"));
  });
  window.addEventListener("paste", (event) => {
    if (event.target.matches?.("input, textarea, select")) return;
    const text = event.clipboardData.getData("text/plain");
    if (text.trim()) read(text);
  });
}

function createSampler(store, fail) {
  let cultures = [];
  const settings = $("culture-settings");
  const draw = latest(
    (wish) => post("/v1/sample", wish),
    (election, { culture }) =>
      store.change(fromService(election), `sample of ${culture}`, "sample"),
    fail,
  );
  const wish = () => ({
    culture: spec($("culture").value, settings),
    voters: voterCount(Number($("sample-voters").value)),
    candidates: Number($("sample-candidates").value),
    seed: Math.min(2 ** 32, Math.max(0, Math.floor(Number($("seed").value)) || 0)),
  });

  function describe() {
    const culture = cultures.find(({ name }) => name === $("culture").value);
    say($("culture-note"), culture?.definition ?? "");
    settings.replaceChildren(...(culture?.settings ?? []).flatMap(slider));
  }

  function label() {
    for (const range of $("sample").querySelectorAll("input[type=range]")) {
      const value =
        range.id === "sample-voters" ? voterCount(Number(range.value)) : Number(range.value);
      say(range.nextElementSibling, value.toLocaleString("en"));
      range.setAttribute("aria-valuetext", value.toLocaleString("en"));
    }
  }

  $("sample").addEventListener("input", ({ target }) => {
    if (target.id === "culture") describe();
    label();
    draw(wish());
  });
  $("sample").addEventListener("submit", (event) => {
    event.preventDefault();
    $("seed").value = Number($("seed").value) + 1;
    store.settle();
    draw(wish());
  });
  get("/v1/cultures").then((found) => {
    cultures = found;
    $("culture").replaceChildren(
      ...found.map(({ name }) => h("option", { value: name }, title(name))),
    );
    describe();
    label();
  }, fail);
}

/** 1 to 1,000 voters on a slider of 0 to 100, finer where there are few. */
const voterCount = (place) => Math.round(1000 ** (place / 100));

/** The sliders for a setting such as "phi" or "alpha=1.0". */
export function slider(setting) {
  const [name, fallback] = setting.split("=");
  if (!(name in SLIDERS)) return [];
  const [text, min, max, step, start] = SLIDERS[name];
  const id = `setting-${name}`;
  const range = h("input", { id, type: "range", name, min, max, step, value: fallback ?? start });
  return [
    h("div", { class: "slider" }, h("label", { for: id }, text), range, h("output", { for: id })),
  ];
}

/** The culture with its settings, as the service spells it. */
function spec(name, settings) {
  const set = [...settings.querySelectorAll("input")].map(
    (range) => `${range.name}=${range.value}`,
  );
  return set.length ? `${name}:${set.join(",")}` : name;
}
