// The margin of every pair as a heat map.

import { s } from "./dom.js";
import { canvasOf, createFigure, em, label, widthOf } from "./figures.js";

const MOST = 40; // Candidates in the drawing; the table has everyone.

export const margins = () =>
  createFigure({
    id: "margins",
    name: "Margins",
    note: "By how many voters the candidate of the row is preferred to the one of the column.",
    draw,
    tell,
    table: (data) => {
      const order = byWins(data);
      const row = (a) => order.map((b) => (a === b ? "" : signed(data.margins[a][b])));
      const names = order.map((c) => data.candidates[c]);
      return [["", ...names], ...order.map((a, i) => [names[i], ...row(a)])];
    },
  });

/** The candidates in the order of pairs won, so that wins gather above the diagonal. */
export function byWins({ candidates, margins: matrix }) {
  const won = matrix.map((row) => row.reduce((sum, margin) => sum + Math.sign(margin), 0));
  const total = matrix.map((row) => row.reduce((sum, margin) => sum + margin, 0));
  return [...candidates.keys()].sort((a, b) => won[b] - won[a] || total[b] - total[a] || a - b);
}

export const largest = ({ margins: matrix }) => Math.max(1, ...matrix.flat().map(Math.abs));

/** What a drawing says that has room for some of the candidates only. */
export function cut(shown, all, y) {
  if (shown >= all) return [];
  const text = `The ${shown} of ${all} candidates who win the most pairs.`;
  return [s("text", { class: "small", x: 0, y }, text)];
}

function signed(margin) {
  const sign = margin > 0 ? "+" : margin < 0 ? "−" : "";
  return sign + Math.abs(margin).toLocaleString("en");
}

function tell(data) {
  const [first, ...others] = byWins(data);
  const beaten = others.filter((c) => data.margins[first][c] > 0).length;
  const who = data.candidates[first];
  return `Heat map of margins. ${who} beats ${beaten} of ${others.length} others.`;
}

function draw(data, width) {
  const unit = em();
  const order = byWins(data).slice(0, MOST);
  const names = order.map((c) => data.candidates[c]);
  const room = Math.min(Math.max(...names.map(widthOf)), width * 0.3, 10 * unit);
  const aside = room + 0.8 * unit;
  const cell = Math.min((width - aside) / (order.length + 0.7), 3.6 * unit);
  const left = aside + (width - aside - (order.length + 0.7) * cell) / 2;
  const slant = Math.min(room, 6 * unit); // How long the names over the columns may be.
  const head = slant * 0.72 + 1.4 * unit;
  const foot = head + order.length * cell;
  const rows = names.map((name, i) => {
    const y = head + (i + 0.5) * cell;
    return label(name, left - 0.6 * unit, y, { width: room, class: "end middle" });
  });
  const columns = names.map((name, i) => {
    const place = `translate(${left + (i + 0.5) * cell} ${head - 0.5 * unit}) rotate(-45)`;
    return label(name, 0, 0, { width: slant, transform: place });
  });
  const shown = { ...data, most: largest(data), cell, numbers: cell > 2.2 * unit };
  const cells = order.flatMap((a, i) =>
    order.map((b, j) => drawCell(shown, a, b, left + j * cell, head + i * cell)),
  );
  const note = cut(order.length, data.candidates.length, foot + 1.5 * unit);
  return canvasOf(width, foot + (note.length ? 2 * unit : 2), rows, columns, cells, note);
}

function drawCell({ candidates, margins: matrix, most, cell, numbers }, a, b, x, y) {
  const margin = matrix[a][b];
  const kind = a === b ? "self" : margin > 0 ? "win" : margin < 0 ? "loss" : "draw";
  const side = cell * 0.97;
  const opacity = margin ? 0.12 + (0.5 * Math.abs(margin)) / most : 1;
  const box = { class: `cell ${kind}`, x, y, width: side, height: side, rx: cell / 16 };
  if (a === b) return s("rect", box);
  const [middle, height] = [x + side / 2, y + side / 2];
  return s(
    "g",
    {},
    s("title", {}, `${candidates[a]} against ${candidates[b]}: ${signed(margin)}`),
    s("rect", { ...box, "fill-opacity": opacity }),
    numbers ? s("text", { class: "centre middle", x: middle, y: height }, signed(margin)) : null,
  );
}
