import { type Row, rows } from "./outcome-table.js";

const introduction = `# What becomes of a set, and of the credits

How a set ends depends on what a step finds stored, what the service answers, and what the store says. A test runs each row
below for a step, a batch and a queue, and writes this page: it says what the code does. What to do then is in [Many
sets](batches.md) and [Queues, workflows, crashes](queues.md).

- **Found**: the state that the store has of the set.
- **Answer**: what the request came to. Answers in one row have the same end. "Asks for" is its \`Retry-After\`.
- **The store**: what it says to a save of that state. It resolves to \`false\`, because another record is stored; it rejects;
  or it stores, and the reply is lost. In tables without this column it stores everything.
- **Sent and saved**: the requests and the saved states, in their order; "removed" is the record.
- **A step**: what \`stepSet\` resolves to, with how long it waits, or that it rejects.
- **A batch**: how the set ends in \`runBatch\` if the service works again after this answer. The batch plans its other sets
  unless the row says otherwise. On a \`shared\` store it waits for a create that is in flight.
- **The queue**: what becomes of the job in BullMQ, which keeps the job's own end in place of the state \`ended\`. "Throws"
  leaves the job to \`attempts\`; "ends" is final.
- **Charged**: whether the account was charged, by the service's own ledger; "maybe" is what nobody can know.
`;

const sections: [title: string, about: string, found: RegExp][] = [
  [
    "A new set",
    "The record `sending` is saved before the create is sent. An answer that certainly charged nothing removes it. A create that\nmay have been charged is not retried.",
    /^new$/,
  ],
  [
    "A set that was accepted",
    "It is paid for, so a step only looks at its job. A look that fails does not lose it.",
    /^(accepted|overdue)/,
  ],
  ["A set that nothing is sent for", "The record says how the set ended, or that nobody knows.", /./],
];

const states: Record<string, string> = {
  "accepted long": "`accepted`, a minute ago",
  overdue: "`accepted`, overdue",
  sending: "`sending`, in flight",
  "sending long": "`sending`, stale",
  "sending, when?": "`sending`, without a time",
  planned: "`ended`, succeeded",
  failed: "`ended`, failed",
  "version 1": "another version",
  "another step": "an unknown state",
};

const answers: Record<string, string> = {
  "no credits": "accepted, without credits",
  "500 with a job": "a 500 that names a job",
  "an id of no job": "a 201 that names no job",
  malformed: "a 201 that is no JSON",
  reset: "the connection breaks",
  "no connection": "no connection is made",
  "no TLS": "the handshake fails",
  "no key": "the key does not come",
  "a key that fails": "the key function throws",
  unfinished: "not ended",
  "another job": "a job of another id",
};

const words: [RegExp, string][] = [
  [/^-$/, "–"],
  [/^refused$/, "rejects at once"],
  [/^returns job_1$/, "completes"],
  [/^delays$/, "is delayed"],
  [/^stops$/, "the queue pauses"],
  [/^waits/, "`waiting`"],
  [/ 600 s/, " 10 min"],
  [/ 3600 s/, " 1 h"],
  [/^skipped (\w+)/, "`skipped`, `$1`"],
  [/^(succeeded|failed|uncertain|waiting)/, "`$1`"],
  [/ no\b/, ", not charged"],
  [/ yes\b/, ", charged"],
  [/ maybe\b/, ", maybe charged"],
  [/, job_1/, ", `jobId`"],
  [/: error/, ", `error`"],
  [/: overdue/, ", `JobTimeoutError`"],
  [/; ends$/, "; the batch rejects"],
  [/; both$/, "; so do the others"],
  [/; logs$/, "; logs the id"],
];

const inWords = (cell: string) => words.reduce((text, [from, to]) => text.replace(from, to), cell);

const foundInWords = (found: string) => states[found] ?? `\`${found}\``;

/** Such as "unfinished, asks for 40 s". */
const answerInWords = (answer: string) => answer.replace(/^[^,]*/, (kind) => answers[kind] ?? kind);

/** Such as "sending, POST, accepted!". */
function deedsInWords(does: string): string {
  const marks: Record<string, string> = { "?": " (`false`)", "!": " (rejects)" };
  return does.replace(/([a-zA-Z]+)([?!]?)/g, (_, deed: string, mark: string) => {
    const word = deed === "new" ? "removed" : /^[A-Z]/.test(deed) ? deed : `\`${deed}\``;
    return word + (marks[mark] ?? "");
  });
}

/** Such as "accepted: lost". */
function saveInWords(save: string): string {
  const [state = "", says = ""] = save.split(": ");
  const said: Record<string, string> = {
    false: "`false`",
    rejects: "rejects",
    lost: "stores; the reply is lost",
    broken: "rejects from then on",
  };
  return `${state === "new" ? "removed" : `\`${state}\``}: ${said[says]}`;
}

const columns: [title: string, cell: (row: Row) => string][] = [
  ["found", ({ found }) => foundInWords(found)],
  ["answer", ({ answer }) => answerInWords(answer)],
  ["the store", ({ save }) => (save ? saveInWords(save) : "")],
  ["sent and saved", ({ does }) => deedsInWords(does) || "nothing"],
  ["a step", ({ step }) => inWords(step)],
  ["a batch", ({ batch }) => inWords(batch)],
  ["the queue", ({ queue }) => inWords(queue)],
  ["charged", ({ charged }) => inWords(charged)],
];

/** Rows that differ in one column alone, as one row. */
function joined(table: string[][], column: number): string[][] {
  const byRest = new Map<string, string[][]>();
  for (const row of table) {
    const rest = JSON.stringify(row.with(column, ""));
    byRest.set(rest, [...(byRest.get(rest) ?? []), row]);
  }
  return [...byRest.values()].map((alike) => {
    const cells = [...new Set(alike.map((row) => row[column] as string))];
    return (alike[0] as string[]).with(column, cells.join(" · "));
  });
}

/** A table of Markdown, without the columns that say the same in each row. */
function tableOf(some: Row[]): string {
  const table = joined(
    joined(
      some.map((row) => columns.map(([, cell]) => cell(row))),
      1,
    ),
    0,
  );
  const isNamed = columns.map(
    ([title], index) =>
      !/^(found|answer|the store|sent)/.test(title) || table.some((row) => row[index] !== table[0]?.[index]),
  );
  const line = (cells: string[]) => `| ${cells.filter((_, index) => isNamed[index]).join(" | ")} |`;
  return [columns.map(([title]) => title), columns.map(() => "---"), ...table].map(line).join("\n");
}

/** The page that shows the whole table. */
export function outcomePage(): string {
  let rest = rows;
  const parts = sections.map(([title, about, found]) => {
    const own = rest.filter((row) => found.test(row.found));
    rest = rest.filter((row) => !found.test(row.found));
    const [well, failing] = [own.filter(({ save }) => save === ""), own.filter(({ save }) => save !== "")];
    const ofStore = failing.length > 0 ? `\nWhere a save fails:\n\n${tableOf(failing)}\n` : "";
    return `\n## ${title}\n\n${about}\n\n${tableOf(well)}\n${ofStore}`;
  });
  return introduction + parts.join("");
}
