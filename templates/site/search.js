// The search page: asks the index beside the game's pages. The form shows once there is an index; the list below is for
// everyone. What is found is put in as text: nothing a player wrote can become markup.

const MOST = 40; // pages shown; more words find fewer
const form = document.querySelector("form.search");
const field = form.elements.q;
const status = form.querySelector("[role=status]");
const list = form.querySelector("ol");
const pages = new URL(form.dataset.pages, location);

function excerpt(html) {
  const shown = document.createElement("p");
  for (const node of new DOMParser().parseFromString(html, "text/html").body.childNodes) {
    const piece = document.createElement(node.nodeName === "MARK" ? "mark" : "span");
    piece.textContent = node.textContent;
    shown.append(piece);
  }
  return shown;
}

function entry(found) {
  const line = document.createElement("li");
  line.className = "entry";
  const lead = document.createElement("p");
  lead.className = "lead";
  const link = document.createElement("a");
  link.href = new URL(found.raw_url.replace(/^\//, ""), pages);
  link.textContent = found.meta.title;
  lead.append(link);
  const kind = document.createElement("p");
  kind.className = "apparatus";
  kind.textContent = found.meta.kind;
  line.append(lead, kind, excerpt(found.excerpt));
  return line;
}

let asked = 0;

async function look(pagefind) {
  const turn = ++asked;
  const words = field.value.trim();
  const hits = words ? (await pagefind.search(words)).results : [];
  const found = await Promise.all(hits.slice(0, MOST).map((hit) => hit.data()));
  if (turn !== asked) return;
  list.replaceChildren(...found.map(entry));
  status.textContent = !words ? "" : hits.length ? `${status.dataset.found} ${hits.length}` : status.dataset.nothing;
}

try {
  const pagefind = await import(new URL(form.dataset.index, location));
  await pagefind.options({ noWorker: true }); // a worker would go by the policy of its own file
  form.hidden = false;
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  let wait;
  field.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => look(pagefind), 150);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    look(pagefind);
  });
  await look(pagefind);
} catch {
  form.remove(); // no index yet, or pages read from a disk: the list is there
}
