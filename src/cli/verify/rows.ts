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
  /** What a row differs from, for each that does. */
  differing: ("document" | "recording")[];
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
  const compared = questions.map((question) => {
    const [look, onMock] = [question.look(service), question.look(mock)];
    const { what, document } = question;
    const words = { what, document, mock: onMock?.words ?? "", service: look?.words ?? "" };
    return { words, look, ...verdictOn(question, look, onMock, recorded) };
  });
  const isFirst = ({ look }: (typeof compared)[number]) => Number(look?.isAgainstRules ?? false);
  compared.sort((one, other) => isFirst(other) - isFirst(one));
  const isBroken = compared.some(({ differs, look }) => differs && look?.difference !== "harmless");
  const silence = compared.map(({ look }) => look?.silence).find(Boolean);
  return {
    rows: compared.map(({ words, verdict }) => ({ ...words, verdict })),
    differing: compared.flatMap(({ differs }) => differs ?? []),
    silence,
    exitCode: isBroken ? 1 : silence ? 4 : 0,
  };
}

function verdictOn(
  { isGuessed, recorded }: Question,
  look: Look | undefined,
  onMock: Look | undefined,
  recording: Recorded,
): { verdict: Verdict; differs?: "document" | "recording" } {
  if (!look || look.silence) return { verdict: "not tried" };
  if (look.difference) return { verdict: "differs from the document", differs: "document" };
  if (look.isPartial) return { verdict: "not tried" };
  const isSame = look.words === onMock?.words;
  if (recorded?.(recording) !== undefined && !isSame)
    return { verdict: "differs from the recording", differs: "recording" };
  if (!isGuessed) return { verdict: "as documented" };
  return { verdict: isSame ? "the mock is right" : "the mock guesses otherwise" };
}

/** What the rows say as a whole, in a sentence. */
export function summaryOf({ differing, silence, exitCode }: Comparison, isFree: boolean): string {
  const { length } = differing;
  const s = length === 1 ? "s" : "";
  if (exitCode === 1)
    return `${plural(length, "row")} differ${s} from the ${[...new Set(differing)].join(" and the ")}.`;
  if (length > 0)
    return `${plural(length, "row")} differ${s}, and break${s} nothing${silence ? ", but not all could be asked" : ""}.`;
  if (silence) return "No difference was seen, but not all could be asked.";
  const hint = isFree
    ? ` To try the rest, order a set of --app-id, --ios-url or --android-url with --spend ${setCost}.`
    : "";
  return `Nothing differs from the document.${hint}`;
}

/** The longest text of a cell; `--json` has all of it. */
const cellWidth = 44;

/** The rows as a table for people. */
export function tableOf(rows: readonly Row[]): string {
  const heads = ["what", "the document", "the mock", "the service", ""];
  const texts = rows.map(({ what, document, mock, service, verdict }) =>
    [what, document || "-", mock || "-", service || "-", verdict].map(cellOf),
  );
  const cells = [heads, ...texts];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function cellOf(text: string): string {
  const line = printableLine(text);
  return line.length > cellWidth ? `${line.slice(0, cellWidth - 1)}…` : line;
}
