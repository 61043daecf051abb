// Each form sends what is written in it, and shows what comes back.

for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = form.querySelector("output pre");
    const body = form.querySelector("textarea")?.value;
    const headers = { "Content-Type": "application/json" };
    output.hidden = false;
    output.textContent = "…";
    try {
      const options = body === undefined ? {} : { method: "POST", headers, body };
      const response = await fetch(form.dataset.path, options);
      const text = await response.text();
      output.textContent = `${response.status}\n${pretty(text)}`;
    } catch {
      output.textContent = "The server does not answer; start it again with elect serve.";
    }
  });
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
