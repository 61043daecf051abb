// One election as the page knows it, and how it came to be. Nothing here touches the document.
//
//   candidates: [{name, absent}]
//   ballots:    [{count, ranking: [[0], [2, 1]]}]   candidates by number: to rename is one change
//
// Elections are never altered, only replaced: undo is a list of them.

const STEPS = 500;

export const EMPTY = Object.freeze({ candidates: [], ballots: [] });

export const names = (election) => election.candidates.map(({ name }) => name);

export const voters = (election) => election.ballots.reduce((sum, ballot) => sum + ballot.count, 0);

/** Whether there is anything to decide. */
export const decidable = (election) =>
  election.candidates.some(({ absent }) => !absent) && election.ballots.some(counts);

/** Whether a ballot counts: someone cast it, and it ranks someone. */
export const counts = (ballot) => ballot.count > 0 && ballot.ranking.length > 0;

export const withBallot = (election, row, changed) => ({
  ...election,
  ballots: election.ballots.with(row, { ...election.ballots[row], ...changed }),
});

export const addBallot = (election, row = election.ballots.length) => ({
  ...election,
  ballots: election.ballots.toSpliced(row, 0, { count: 1, ranking: [] }),
});

export const removeBallot = (election, row) => ({
  ...election,
  ballots: election.ballots.toSpliced(row, 1),
});

export const addCandidates = (election, added) => ({
  ...election,
  candidates: [...election.candidates, ...added.map((name) => ({ name, absent: false }))],
});

export const withCandidate = (election, number, changed) => ({
  ...election,
  candidates: election.candidates.with(number, { ...election.candidates[number], ...changed }),
});

/** A name that is still free: "Candidate 4". */
export function freeName(election) {
  const taken = new Set(names(election));
  let number = taken.size + 1;
  while (taken.has(`Candidate ${number}`)) number += 1;
  return `Candidate ${number}`;
}

/** The election as the service takes it; ballots that nobody cast or that rank nobody stay here. */
export function toService({ candidates, ballots }) {
  return {
    candidates: candidates.map(({ name }) => name),
    absent: candidates.filter(({ absent }) => absent).map(({ name }) => name),
    ballots: ballots.filter(counts).map(({ count, ranking }) => ({
      count,
      ranking: ranking.map((tier) => tier.map((c) => candidates[c].name)),
    })),
  };
}

/** The election that the service has read or sampled. */
export function fromService({ candidates, ballots }) {
  const numbers = new Map(candidates.map((name, c) => [name, c]));
  return {
    candidates: candidates.map((name) => ({ name, absent: false })),
    ballots: ballots.map(({ count, ranking }) => ({
      count,
      ranking: ranking.map((tier) => tier.map((name) => numbers.get(name))),
    })),
  };
}

/**
 * The present election with its past and its future.
 *
 * Changes with the same key in a row are one step, so that typing a name is undone at once;
 * `settle` ends such a run. Listeners get the election, and what was done to it in words.
 */
export function createStore() {
  let past = [];
  let future = [];
  let present = { election: EMPTY, what: "" };
  let run = null;
  const listeners = [];
  const tell = (what) => listeners.forEach((listener) => listener(present.election, what));
  const move = (from, to, say) => {
    if (!from.length) return null;
    to.push(present);
    const { what } = say === "Undone" ? present : from.at(-1);
    present = from.pop();
    run = null;
    tell(`${say}: ${what}.`);
    return what;
  };
  return {
    get election() {
      return present.election;
    },
    get canUndo() {
      return past.length > 0;
    },
    get canRedo() {
      return future.length > 0;
    },
    listen: (listener) => listeners.push(listener),
    change(election, what, key = null) {
      if (key === null || key !== run) past = [...past.slice(1 - STEPS), present];
      run = key;
      future = [];
      present = { election, what };
      tell(what);
    },
    settle: () => (run = null),
    undo: () => move(past, future, "Undone"),
    redo: () => move(future, past, "Done again"),
    begin(election) {
      [past, future, run] = [[], [], null];
      present = { election, what: "" };
      tell("");
    },
  };
}
