import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import { both, type Change, compareByName, docs, label, type Pair, those } from "./change.js";

/** The change of the mark that something will go, of its last day, and of what takes its place. */
export function compareDeprecation(pair: Pair<JsonObject>, what: string): Change[] {
  const [was, is] = both(pair, ({ deprecated }) => deprecated === true);
  if (!is) return was ? [docs(`${what} is no longer deprecated`)] : [];
  const tell = (told: string) => [docs(`${what} ${those}`, told)];
  const ends = compareByName([was ? endOf(pair[0]) : new Map(), endOf(pair[1])], {
    lost: (verb, end) => [docs(`the document no longer says that ${what} ${those}`, `${verb} ${end}`)],
    gained: (verb, end) => tell(`${verb} ${end}`),
    kept: (verb, before, after) => (before === after ? [] : tell(`${verb} ${after}`)),
  });
  return was ? ends : [...tell("is deprecated"), ...ends];
}

const dateKey = /(?:sunset|removal|end-?of-?life)(?:-?(?:date|at|on))?$/i;
const successorKey = /(?:successor|replace(?:d-?by|ment)|use-?instead)$/i;
const dateInWords = /\b(?:sunset|removed|ends?|until|gone|after)\b[^.]{0,60}?\b(\d{4}-\d{2}-\d{2})\b/i;
const successorInWords = /\b(?:use|by|successor is|favou?r of) `([^`]+)`/i;

/** When something ends and what follows it, by verb, where a document says it: no standard has one place for that. */
function endOf(stated: JsonObject): Map<string, string> {
  const members = membersOf(stated).filter(([key]) => key.startsWith("x-"));
  const own = members.flatMap(([key, value]) =>
    isObject(value) ? membersOf(value) : [[key, value] as const],
  );
  const textUnder = (keys: RegExp) =>
    own.flatMap(([key, value]) => (keys.test(key) && typeof value === "string" ? [value] : []));
  const description = String(stated.description ?? "");
  const dates = [...textUnder(dateKey), ...sunsetHeaders(stated), dateInWords.exec(description)?.[1] ?? ""];
  const [day] = dates.flatMap((date) => dayOf(date) ?? []);
  const [successor = successorInWords.exec(description)?.[1]] = textUnder(successorKey);
  return new Map([
    ...(day === undefined ? [] : [["ends on", day] as const]),
    ...(successor === undefined ? [] : [["is followed by", label(successor)] as const]),
  ]);
}

/** What a document gives as the `Sunset` of an operation's answers (RFC 8594). */
function sunsetHeaders({ responses }: JsonObject): string[] {
  const headers = membersOf(responses).flatMap(([, answer]) => membersOf(Object(answer).headers));
  return headers.flatMap(([name, header]) => {
    const { example, schema } = Object(header) as JsonObject;
    const { example: given, const: always, default: usual } = Object(schema) as JsonObject;
    const texts = [always, example, given, usual].filter((text) => typeof text === "string");
    return /^sunset$/i.test(name) ? texts : [];
  });
}

/** A date in any common form as a day; undefined if it is none. */
function dayOf(date: string): string | undefined {
  const time = /^\d{4}-\d{2}-\d{2}/.test(date) || /GMT$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
}
