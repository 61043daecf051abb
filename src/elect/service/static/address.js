// The election in the address, so that a link shares it: names and ballots as short lines,
// deflated, in letters that an address may hold.

const KEY = "#e=";
const LARGEST = 32 * 2 ** 20; // What a link may unfold to: a small one can be made to fill memory.

/** The part of the address after #, or "" for no election. */
export async function toHash(election) {
  if (!election.candidates.length && !election.ballots.length) return "";
  const packed = await pass(
    new TextEncoder().encode(write(election)),
    new CompressionStream("deflate-raw"),
  );
  return KEY + toLetters(packed);
}

/** The election in the part after #; null if there is none. */
export async function fromHash(hash) {
  if (!hash.startsWith(KEY)) return null;
  try {
    const packed = fromLetters(hash.slice(KEY.length));
    const plain = await pass(packed, new DecompressionStream("deflate-raw"));
    return read(new TextDecoder("utf-8", { fatal: true }).decode(plain));
  } catch {
    throw new Error("This link is damaged: it may have been cut off on its way. Ask for it again.");
  }
}

/** Names, then who is absent, then a ballot a line: `12:0,2=1` ranks 0 above 2 and 1, tied. */
function write({ candidates, ballots }) {
  const absent = candidates.flatMap((candidate, c) => (candidate.absent ? [c] : []));
  const lines = ballots.map(({ count, ranking }) => {
    const order = ranking.map((tier) => tier.join("=")).join(",");
    return count === 1 ? order : `${count}:${order}`;
  });
  return [JSON.stringify(candidates.map(({ name }) => name)), absent.join(","), ...lines].join(
    "\n",
  );
}

function read(text) {
  const [first, second, ...lines] = text.split("\n");
  const found = JSON.parse(first);
  if (!found.every((name) => typeof name === "string")) throw new Error("names");
  const absent = new Set(second ? second.split(",").map(Number) : []);
  const candidates = found.map((name, c) => ({ name, absent: absent.has(c) }));
  if (new Set(found).size < found.length) throw new Error("names");
  return { candidates, ballots: lines.map((line) => readBallot(line, found.length)) };
}

function readBallot(line, size) {
  const [, number = "1", order] = /^(?:(\d{1,12}):)?([\d,=]*)$/.exec(line);
  const ranking = order ? order.split(",").map((tier) => tier.split("=").map(Number)) : [];
  const ranked = ranking.flat();
  if (ranked.some((c) => c >= size) || new Set(ranked).size < ranked.length)
    throw new Error("ranking");
  return { count: Number(number), ranking };
}

async function pass(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  let size = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    size += step.value.length;
    if (size > LARGEST) throw new Error("size");
    chunks.push(step.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function toLetters(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192)
    text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromLetters(letters) {
  const text = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
