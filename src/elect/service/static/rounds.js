// Rules that eliminate: who stands in each round, with how much, and who leaves.

import { h, listed, s } from "./dom.js";
import { canvasOf, createFigure, em, format, label, widthOf } from "./figures.js";
import { title } from "./winners.js";

const COUNTED = {
  instant_runoff: "first choices",
  coombs: "last choices; at the end, first choices",
};

export function rounds() {
  const choice = h("select", { id: "rounds-rule" });
  const control = h("p", { class: "controls" }, h("label", { for: "rounds-rule" }, "Rule"), choice);
  const figure = createFigure({
    id: "rounds",
    name: "Rounds",
    note: "What each candidate has in each round, and who leaves.",
    controls: [control],
    draw,
    tell: ({ stages }) => stages.map((stage, i) => `Round ${i + 1}: ${outcome(stage)}`).join(" "),
    table: ({ stages, order }) => [
      ["Candidate", ...stages.map((_, i) => `Round ${i + 1}`)],
      ...order.map((name) => [name, ...stages.map((stage) => cell(stage, name))]),
    ],
  });
  let result = null;

  function show() {
    const stages = result?.rounds[choice.value];
    if (!stages?.length) return figure.show(null);
    const { winners } = result.rules.find(({ rule }) => rule === choice.value);
    const colours = new Map(result.candidates.map((name, c) => [name, result.colours[c]]));
    figure.show({ stages, winners, colours, order: byLasting(stages) });
    figure.remark(`Bars: ${COUNTED[choice.value] ?? "Borda points among those who stand"}.`);
  }

  function offer(rules) {
    const before = choice.value;
    if (rules.join() === [...choice.options].map(({ value }) => value).join()) return;
    choice.replaceChildren(...rules.map((rule) => h("option", { value: rule }, title(rule))));
    if (rules.includes(before)) choice.value = before;
  }

  choice.addEventListener("change", show);
  return {
    element: figure.element,
    show(next) {
      result = next;
      offer(Object.keys(next?.rounds ?? {}));
      show();
    },
  };
}

/** The candidates, those first who last longest. */
function byLasting(stages) {
  const { standing, counts } = stages.at(-1);
  const order = [...standing].sort((a, b) => counts[b] - counts[a]);
  const earlier = stages.toReversed().flatMap(({ eliminated }) => eliminated);
  return [...order, ...earlier.filter((name) => !standing.includes(name))];
}

function outcome({ eliminated, standing }) {
  const leave = `${listed(eliminated)} leave${eliminated.length > 1 ? "" : "s"}.`;
  const stay = `${listed(standing)} stand${standing.length > 1 ? "" : "s"} at the end.`;
  return eliminated.length ? leave : stay;
}

/** What a candidate has in a round, in words; nothing if it has left before. */
function cell({ counts, eliminated }, name) {
  if (!Object.hasOwn(counts, name)) return "";
  return `${format(counts[name])}${eliminated.includes(name) ? ", leaves" : ""}`;
}

function draw({ stages, order, colours, winners }, available) {
  const unit = em();
  const room = Math.min(Math.max(...order.map(widthOf)) + 1.6 * unit, available * 0.32);
  const box = Math.max(3 * unit, Math.min((available - room) / stages.length, 11 * unit));
  const most = Math.max(1, ...stages.flatMap(({ counts }) => Object.values(counts)));
  const [row, head] = [2.1 * unit, 1.8 * unit];
  const heads = stages.map((_, i) => {
    const text = box > 1.15 * widthOf("Round 10") ? `Round ${i + 1}` : String(i + 1);
    return label(text, room + i * box, unit, { class: "small" });
  });
  const lines = order.map((name, r) => {
    const y = head + r * row;
    const weight = winners.includes(name) ? "middle strong" : "middle";
    const size = { row, most, width: box - 0.8 * unit };
    return s(
      "g",
      { class: `panel c${colours.get(name) % 8}` },
      label(name, 0, y + row / 2, { width: room - unit, class: weight }),
      stages.map((stage, i) => drawBar(stage, name, size, room + i * box, y)),
    );
  });
  const width = Math.max(available, room + box * stages.length);
  return canvasOf(width, head + order.length * row + 4, heads, lines);
}

function drawBar(stage, name, { row, most, width }, x, y) {
  if (!Object.hasOwn(stage.counts, name)) return null;
  const value = stage.counts[name];
  const leaves = stage.eliminated.includes(name);
  const box = { x, y: y + 0.75 * row, height: 0.18 * row, rx: 2 };
  return s(
    "g",
    { class: leaves ? "leaves" : null },
    s("title", {}, `${name}: ${cell(stage, name)}`),
    s("rect", { class: "rail", ...box, width }),
    s("rect", { class: "bar", ...box, width: Math.max(1.5, (width * value) / most) }),
    s("text", { class: "middle", x, y: y + 0.45 * row }, format(value) + (leaves ? " ×" : "")),
  );
}
