// Ballots as people write them: `12: Anna > Ben = Cleo > Dan`. A name that holds one of the signs
// stands in quotes, with quotes in it doubled.

const COUNT = /^\s*(\d{1,12})\s*[:×]\s*/;
const NEEDS_QUOTES = /[>="]|^\s|\s$|^\d+\s*[:×]/;

/** A ranking in words. */
export function writeRanking(ranking, names) {
  return ranking.map((tier) => tier.map((c) => quote(names[c])).join(" = ")).join(" > ");
}

/** The ranking as pieces for display: [text, candidate or null]. */
export function pieces(ranking, names) {
  return ranking.flatMap((tier, t) =>
    tier.flatMap((c, i) => [
      ...(i > 0 ? [[" = ", null]] : t > 0 ? [[" > ", null]] : []),
      [quote(names[c]), c],
    ]),
  );
}

/**
 * Read a ranking. Names that nobody has are listed as strangers, and numbered as if they were
 * added behind the others; `error` is a sentence, or null.
 */
export function readRanking(text, names) {
  const numbers = new Map(names.map((name, c) => [name, c]));
  const folded = new Map(names.map((name, c) => [name.toLowerCase(), c]));
  const strangers = [];
  const seen = new Set();
  const ranking = [];
  let error = null;
  for (const tier of tiers(text)) {
    const group = [];
    for (const name of tier) {
      let number = numbers.get(name) ?? folded.get(name.toLowerCase());
      if (number === undefined) {
        number = names.length + strangers.push(name) - 1;
        numbers.set(name, number);
      }
      if (seen.has(number)) error ??= `This ballot ranks ${name} twice; rank everyone once.`;
      seen.add(number);
      group.push(number);
    }
    if (group.length) ranking.push(group);
  }
  return { ranking, strangers, error };
}

/** Read lines of ballots as an election with candidates in order of appearance. */
export function readLines(text) {
  const names = [];
  const ballots = [];
  for (const [number, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (!line.trim() || line.trim().startsWith("#")) continue;
    const counted = COUNT.exec(line);
    const { ranking, strangers, error } = readRanking(line.slice(counted?.[0].length ?? 0), names);
    if (error) throw new Error(`Line ${number + 1}: ${error}`);
    names.push(...strangers);
    if (ranking.length) ballots.push({ count: counted ? Number(counted[1]) : 1, ranking });
  }
  if (!ballots.length)
    throw new Error(
      "There are no ballots in this text; write lines such as 12: Anna > Ben = Cleo.",
    );
  return { candidates: names.map((name) => ({ name, absent: false })), ballots };
}

/** What a text seems to be: lines, preflib or csv. */
export function guess(text, filename = "") {
  if (/^\s*#\s*[A-Z ]+:/m.test(text) || /\.(so[ci]|to[ci]|cat)$/i.test(filename)) return "preflib";
  if (/\.(csv|tsv)$/i.test(filename)) return "csv";
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() && !line.startsWith("#"));
  const ranked = lines.filter((line) => />/.test(line) || COUNT.test(line));
  return ranked.length * 2 > lines.length || (lines.length === 1 && !/[,;\t]/.test(lines[0]))
    ? "lines"
    : "csv";
}

function quote(name) {
  return NEEDS_QUOTES.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/** Split at `>` and `=` outside of quotes; empty names, as in mid-typing, are passed over. */
function tiers(text) {
  const result = [[]];
  const token = /"((?:[^"]|"")*)"?|([>=])|[^>="]+/g;
  for (const [plain, quoted, sign] of text.matchAll(token)) {
    if (sign === ">") result.push([]);
    else if (quoted) result.at(-1).push(quoted.replaceAll('""', '"'));
    else if (!sign && plain.replaceAll('"', "").trim()) result.at(-1).push(plain.trim());
  }
  return result;
}
