// Questions to the server. The secret comes from the address and goes into a header; of several answers to one view only
// the one to the newest question is handed on.
// In a notebook there is no server: the page is a frame, and its questions go to the kernel as messages.
const framed = location.protocol === "about:";
const token = new URLSearchParams(location.hash.slice(1)).get("token") || "";
const page = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
const PATIENCE = 150; // milliseconds that an older question may still take once a newer one has come

const post = (path, body, signal) => fetch(path, {
  method: "POST", headers: { "Content-Type": "application/json", "X-Parzen-Token": token }, body: JSON.stringify(body), signal,
});
const waiting = new Map();
let asked = 0;
if (framed) window.addEventListener("message", ({ source, data }) => { if (source === window.parent && waiting.has(data?.id)) { waiting.get(data.id)(data); waiting.delete(data.id); } });
const message = (path, body) => new Promise((resolve) => { const id = ++asked; waiting.set(id, resolve); window.parent.postMessage({ id, path, body }, "*"); });
export const ask = async (path, body) => {
  if (framed) { const { error, answer } = await message(path, body); if (error) throw new Error(error); return answer; }
  const reply = await post(path, body), found = await reply.json();
  if (!reply.ok) throw new Error(found.error);
  return found;
};
// Lines of JSON: progress, and the answer last.
const read = async (reply, onProgress) => {
  const reader = reply.body.getReader(), decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    text += decoder.decode(value || new Uint8Array(), { stream: !done });
    const lines = text.split("\n");
    text = done ? "" : lines.pop();
    for (const line of lines.filter(Boolean)) {
      const one = JSON.parse(line);
      if (one.error === "superseded" || one.error !== undefined || one.answer) return one;
      onProgress(one.progress);
    }
    if (done) return { error: "The answer ended early." };
  }
};
// A line to the server for one view: `send` takes the newest question, `onAnswer` gets the answer to the newest only.
export const line = (view, table, { onAnswer, onError, onProgress }) => {
  let sequence = 0, drawn = 0, flying = null, next = null, timer = null;
  const fly = async () => {
    const { number, request } = next, control = new AbortController();
    next = null;
    flying = control;
    let found;
    try {
      const body = { view, table, page, request }, reply = framed ? null : await post("/answer", body, control.signal);
      found = framed ? await message("/answer", body).then(({ error, answer }) => answer || { error }) : reply.status === 409 ? { error: "superseded" } : await read(reply, (share) => { if (number === sequence) onProgress(share); });
    } catch (error) {
      found = { error: control.signal.aborted ? "superseded" : "The server does not answer; has it been stopped?" };
    }
    if (flying === control) flying = null;
    if (found.answer && number > drawn) { drawn = number; onAnswer(found.answer, number === sequence && !next); }
    else if (found.error && found.error !== "superseded" && number === sequence) onError(found.error);
    if (next && !flying) { clearTimeout(timer); timer = null; fly(); }
  };
  return {
    send: (request) => {
      next = { number: ++sequence, request };
      if (!flying) fly();
      else if (!timer) timer = setTimeout(() => { timer = null; if (next && flying) { flying.abort(); flying = null; fly(); } }, PATIENCE);
    },
    counts: () => ({ sent: sequence, drawn }),
  };
};
