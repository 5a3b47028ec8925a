import { setCost } from "../../index.js";
import type { Recorded } from "../../mock/index.js";
import { plural } from "../../text/figures.js";
import { printableLine } from "../output.js";
import type { Observation } from "./observation.js";
import { type Look, type Question, questions } from "./questions.js";

/** What is told of a question. */
export interface Row {
  what: string;
  /** Empty if the document leaves it open. */
  document: string;
  mock: string;
  /** Empty if nothing was seen. */
  service: string;
  verdict: Verdict;
}

type Verdict =
  | "as documented"
  | `differs from the ${"document" | "recording"}`
  | "the mock is right"
  | "the mock guesses otherwise"
  | "not tried";

/** The rows, and what they say as a whole. */
interface Comparison {
  rows: Row[];
  /** Why something could not be asked, as a sentence. */
  silence: string | undefined;
  /** 1 if something breaks this version, or is otherwise than it was recorded; 4 if something could not be asked; or 0. */
  exitCode: number;
}

/**
 * Compares what was seen of the service with the document and the mock. What was accepted against the rules comes first.
 *
 * @param recorded what the mock plays
 */
export function compare(
  service: Observation,
  mock: Observation,
  recorded: Recorded = { version: 1 },
): Comparison {
  const looks = questions.map((question) => {
    const [look, onMock] = [question.look(service, mock), question.look(mock, mock)];
    return { question, look, onMock, verdict: verdictOn(question, look, onMock, recorded) };
  });
  const rows = looks.map(({ question: { what, document }, look, onMock, verdict }): Row => {
    const says = typeof document === "string" ? document : document(mock);
    return { what, document: says, mock: onMock?.words ?? "", service: look?.words ?? "", verdict };
  });
  const isFirst = ({ service }: Row) => Number(service.startsWith("accepted: "));
  const isBroken = looks.some(
    ({ verdict, look }) => verdict.startsWith("differs") && look?.isDocumented !== "harmless",
  );
  const silence = looks.map(({ look }) => look?.silence).find(Boolean);
  return {
    rows: rows.sort((one, other) => isFirst(other) - isFirst(one)),
    silence,
    exitCode: isBroken ? 1 : silence ? 4 : 0,
  };
}

function verdictOn(
  { isGuessed, recorded }: Question,
  look: Look | undefined,
  onMock: Look | undefined,
  recording: Recorded,
): Verdict {
  if (!look || look.silence) return "not tried";
  if (look.isDocumented !== true) return "differs from the document";
  if (look.isPartial) return "not tried";
  const isSame = look.words === onMock?.words;
  if (recorded?.(recording) !== undefined && !isSame) return "differs from the recording";
  if (!isGuessed) return "as documented";
  return isSame ? "the mock is right" : "the mock guesses otherwise";
}

/** What the rows say as a whole, in a sentence. */
export function summaryOf({ rows, silence, exitCode }: Comparison, isFree: boolean): string {
  const differing = rows.flatMap(({ verdict }) => /^differs from (.*)$/.exec(verdict)?.[1] ?? []);
  const { length } = differing;
  const s = length === 1 ? "s" : "";
  if (exitCode === 1)
    return `${plural(length, "row")} differ${s} from ${[...new Set(differing)].join(" and ")}.`;
  if (length > 0) return `${plural(length, "row")} differ${s}, and break${s} nothing.`;
  if (silence) return "No difference was seen, but not all could be asked.";
  const hint = isFree
    ? ` To try the rest, order a set of --app-id, --ios-url or --android-url with --spend ${setCost}.`
    : "";
  return `Nothing differs from the document.${hint}`;
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
