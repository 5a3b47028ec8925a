import { printableLine } from "../output.js";
import { isAccepted, type Question, questions } from "./questions.js";
import type { Seen } from "./seen.js";

/** What is told of a question. */
export interface Row {
  what: string;
  /** Empty if the document leaves it open. */
  document: string;
  mock: string;
  /** Empty if it was not tried. */
  service: string;
  verdict: Verdict;
}

type Verdict =
  | "as documented"
  | "differs from the document"
  | "the mock is right"
  | "the mock guesses otherwise"
  | "not tried";

/**
 * Compares what was seen of the service with the document and the mock. What was accepted against the rules comes first.
 *
 * @returns the rows, and whether a difference breaks this version
 */
export function compare(service: Seen, mock: Seen): { rows: Row[]; isBroken: boolean } {
  let isBroken = false;
  const isAgainstRules = ({ asks }: Question) => {
    const answer = asks && asks.method !== "GET" ? service.answers.get(asks) : undefined;
    return answer !== undefined && isAccepted(answer);
  };
  const ordered = [...questions].sort(
    (one, other) => Number(isAgainstRules(other)) - Number(isAgainstRules(one)),
  );
  const rows = ordered.map((question): Row => {
    const { what, document } = question;
    const seen = question.sees(service, mock);
    const onMock = question.sees(mock, mock) ?? "";
    const verdict = verdictOn(question, seen, onMock, service);
    if (verdict === "differs from the document" && !question.isHarmless?.(seen ?? "", service))
      isBroken = true;
    return { what, document, mock: onMock, service: seen ?? "", verdict };
  });
  return { rows, isBroken };
}

function verdictOn(question: Question, seen: string | undefined, onMock: string, service: Seen): Verdict {
  if (seen === undefined) return "not tried";
  if (!question.isDocumented(seen, service)) return "differs from the document";
  if (!question.isGuessed) return "as documented";
  return seen === onMock ? "the mock is right" : "the mock guesses otherwise";
}

/** The longest text of a cell; `--json` has all of it. */
const cellWidth = 44;

const heads = {
  what: "what",
  document: "the document",
  mock: "the mock",
  service: "the service",
  verdict: "",
};

/** The rows as a table for people. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [heads, ...rows].map(({ what, document, mock, service, verdict }) =>
    [what, document || "-", mock || "-", service || "-", verdict].map(cellOf),
  );
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function cellOf(text: string): string {
  const line = printableLine(text);
  return line.length > cellWidth ? `${line.slice(0, cellWidth - 1)}…` : line;
}
