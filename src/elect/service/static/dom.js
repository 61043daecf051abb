// Elements. Names come from strangers, so text only ever enters the document as text.

const SVG = "http://www.w3.org/2000/svg";

/** The element with this id. */
export const $ = (id) => document.getElementById(id);

/** A new element: properties beginning with "on" are listeners, null ones are left out. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** A new SVG element. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Set an element's text only if it differs: nothing is announced or painted for nothing. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Make these the children of the parent, moving only those that are out of place. */
export function arrange(parent, children) {
  children.forEach((child, i) => {
    if (parent.childNodes[i] !== child) parent.insertBefore(child, parent.childNodes[i] ?? null);
  });
  while (parent.childNodes.length > children.length) parent.lastChild.remove();
}

/** "1,204 voters", "1 voter". */
export function count(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

/** "Ann", "Ann and Ben", "Ann, Ben and Cleo". */
export function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** A sign for a candidate: a colour, and after eight of them another shape. */
export function mark(candidate) {
  const shape = SHAPES[Math.floor(candidate / 8) % SHAPES.length];
  const classes = `mark c${candidate % 8}`;
  return s(
    "svg",
    { class: classes, viewBox: "0 0 12 12", "aria-hidden": "true" },
    s("path", { d: shape }),
  );
}

const SHAPES = [
  "M6 1a5 5 0 1 0 0 10a5 5 0 1 0 0-10z",
  "M1.5 1.5h9v9h-9z",
  "M6 0l6 6l-6 6l-6-6z",
  "M6 .5l6 10.5h-12z",
];
