// Talking to the service. What goes wrong becomes an Error with a sentence for the user.

/** What the service tells about itself, asked for until it does: it may still be starting. */
export async function get(path) {
  for (;;) {
    try {
      return await answer(await reach(path));
    } catch (error) {
      if (!(await starting(error))) throw error;
    }
  }
}

/** Whether an error only means that the service is not there yet; waits a moment if so. */
export async function starting(error) {
  if (!error.away && error.status !== 503) return false;
  const health = await fetch("/healthz")
    .then((response) => response.json())
    .catch(() => null);
  if (health?.ready) return error.away;
  if (health?.reason?.includes("unable")) error.message = health.reason;
  else if (health) {
    error.message = "The rules are getting ready; the first time this takes a minute.";
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return true;
}

export async function post(path, body) {
  const response = await reach(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return answer(response);
}

/** A file from the service: its name and its text. */
export async function download(path, body) {
  const response = await reach(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) await answer(response);
  const [, name] =
    /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  return { name, text: await response.text() };
}

async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch (cause) {
    const error = new Error("The service does not answer; start it again with elect serve.", {
      cause,
    });
    error.away = true;
    throw error;
  }
}

async function answer(response) {
  const content = await response.json().catch(() => null);
  if (response.ok && content !== null) return content;
  const error = new Error(content?.error ?? `The service failed (${response.status}); try again.`);
  error.status = response.status;
  throw error;
}

/**
 * A function that runs `work` on the newest input only, and on one at a time: what comes in while
 * it runs waits, and is overtaken by what comes in later. `done` is never called with an answer
 * to anything but the newest.
 */
export function latest(work, done, failed) {
  let waiting = null;
  let running = false;
  let newest = 0;
  const run = async () => {
    running = true;
    while (waiting) {
      const [input, number] = waiting;
      waiting = null;
      try {
        const output = await work(input);
        if (number === newest) done(output, input);
      } catch (error) {
        if (number === newest) failed(error, input);
      }
    }
    running = false;
  };
  const ask = (input) => {
    waiting = [input, (newest += 1)];
    if (!running) run();
  };
  ask.forget = () => {
    waiting = null;
    newest += 1;
  };
  return ask;
}
