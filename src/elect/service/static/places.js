// How often each candidate stands at each place: a small histogram each.

import { count, s } from "./dom.js";
import { canvasOf, createFigure, em, label } from "./figures.js";

export const places = () =>
  createFigure({
    id: "places",
    name: "Places",
    note: "How many voters put each candidate first, second and so on.",
    draw,
    tell,
    table: (data) => {
      const bars = barsOf(data);
      const size = data.candidates.length;
      const head = bars[0].map((_, k) => (k < size ? `Place ${k + 1}` : "Unranked"));
      return [["Candidate", ...head], ...data.candidates.map((name, c) => [name, ...bars[c]])];
    },
  });

/** For each candidate the voters by place, and at the end those who leave it out, if any do. */
function barsOf({ places: table, voters }) {
  const left = table.map((row) => voters - row.reduce((sum, value) => sum + value, 0));
  return left.some((value) => value > 0) ? table.map((row, c) => [...row, left[c]]) : table;
}

function tell({ candidates, places: table, voters }) {
  const first = candidates.map((name, c) => `${name} is first for ${table[c][0]}`).slice(0, 8);
  return `Histograms of places. Of ${count(voters, "voter")}, ${first.join(", ")}.`;
}

function draw(data, width) {
  const unit = em();
  const bars = barsOf(data);
  const wanted = Math.min(width, Math.max(7, Math.min(1.3 * bars[0].length, 14)) * unit);
  const rows = Math.ceil(bars.length / Math.floor(width / wanted));
  const columns = Math.ceil(bars.length / rows);
  const size = {
    unit,
    width: width / columns,
    height: 7.8 * unit,
    most: Math.max(1, ...bars.flat()),
  };
  const panels = bars.map((row, c) => {
    const [x, y] = [(c % columns) * size.width, Math.floor(c / columns) * size.height];
    return drawPanel(data, c, row, size, x, y);
  });
  return canvasOf(width, rows * size.height, panels);
}

function drawPanel({ candidates, colours }, c, row, { unit, width, most }, x, y) {
  const [base, tall] = [y + 6.2 * unit, 4.5 * unit];
  const step = (width - 1.2 * unit) / row.length;
  const every = Math.ceil((1.3 * unit) / step); // Not every place has room for its number.
  const thick = Math.min(step * 0.94, 2 * unit);
  const bars = row.map((value, k) => {
    const ranked = k < candidates.length;
    const middle = x + (k + 0.5) * step;
    const height = Math.max((tall * value) / most, 0.5);
    const text = ranked ? (k % every ? "" : String(k + 1)) : "–";
    const tip = `${candidates[c]} ${ranked ? `at place ${k + 1}` : "nowhere"}: ${value}`;
    const box = { x: middle - thick / 2, y: base - height, width: thick, height };
    return s(
      "g",
      {},
      s("title", {}, tip),
      s("rect", { class: ranked ? "bar" : "bar none", ...box }),
      s("text", { class: "centre small", x: middle, y: base + 1.05 * unit }, text),
    );
  });
  return s(
    "g",
    { class: `panel c${colours[c] % 8}` },
    label(candidates[c], x, y + unit, { width: width - unit, class: "name" }),
    s("path", { class: "axis", d: `M${x} ${base}h${row.length * step}` }),
    bars,
  );
}
