import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { type JsonObject, membersOf } from "../openapi/json.js";
import {
  answerSchemas,
  bodySchema,
  isIdempotencyKey,
  isSuccess,
  knownIn,
  listedValues,
  operationsIn,
} from "../openapi/operations.js";
import { partsOf, propertiesOf, propertyOf } from "../openapi/walk.js";

/** What people read and no command writes: its text, by file. */
export type HandWritten = ReadonlyMap<string, string>;

const pages = ["README.md", "AGENTS.md", "SECURITY.md", "docs", "examples", "src"];
const isText = /\.(?:md|ts|tsx|mts|cts|js|mjs|cjs|json|ya?ml|html|py|sh)$|Dockerfile$/;

/** Reads what is written by hand in the working copy at `root`; what is missing has no text. */
export async function readHandWritten(root: string): Promise<HandWritten> {
  const lists = pages.map(async (page) => {
    if (page.endsWith(".md")) return [page];
    const names = await readdir(path.join(root, page), { recursive: true }).catch(() => []);
    return names.map((name) => path.posix.join(page, name.replaceAll("\\", "/")));
  });
  const files = (await Promise.all(lists)).flat().filter((file) => isText.test(file));
  const own = files.filter((file) => !file.startsWith("src/generated/")).sort();
  const texts = own.map(async (file) => {
    return [file, await readFile(path.join(root, file), "utf8").catch(() => "")] as const;
  });
  return new Map(await Promise.all(texts));
}

/** A text on one line, without what marks each line of a comment. */
export const onOneLine = (text: string) => text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/|#)?\s*/g, " ");

/** Something that a document may leave open, and the words in which people write that it does. */
interface Gap {
  what: string;
  isFilled(document: JsonObject): boolean;
  words: RegExp;
}

/** The operation with that SDK name; an empty one if the document lacks it. */
const named = (document: JsonObject, name: string): JsonObject =>
  knownIn(document).find(({ known }) => known.name === name)?.operation ?? {};

const answerOf = (document: JsonObject, name: string) => answerSchemas(named(document, name))[0];

/** The errors of the SDK's operations, by status. */
const errorsIn = (document: JsonObject) =>
  knownIn(document)
    .flatMap(({ operation }) => membersOf(operation.responses))
    .filter(([status]) => !isSuccess(status));

/** What people write of gaps in the document. `test/repository/gaps.test.ts` misses words that no row has. */
export const gaps: readonly Gap[] = [
  {
    what: "the fields of slides",
    isFilled: (document) => {
      const slides = propertyOf(
        document,
        propertyOf(document, answerOf(document, "getJob"), "result"),
        "slides",
      );
      return partsOf(document, slides).some(({ items }) => propertiesOf(document, items).length > 0);
    },
    words: /what a slide has is not documented|does not document a slide's fields|caption: Slide 1 of 1/i,
  },
  {
    what: "errors other than 401",
    isFilled: (document) => errorsIn(document).some(([status]) => status !== "401"),
    words: /which status the service uses for insufficient credits is not documented/i,
  },
  {
    what: "the cost of an app",
    isFilled: (document) => {
      const fields = propertiesOf(document, answerOf(document, "createApp")).map(([name]) => name);
      const told = /\d[\d.,]* (?:\w+ )?credit|no credits?\b|\bfree of charge\b|without charge/i;
      const { description } = named(document, "createApp");
      return told.test(String(description)) || fields.some((name) => /cost|credit|price/i.test(name));
    },
    words:
      /(?:what (?:an app|that) costs is|at a cost that is) not documented|the document does not tell either/i,
  },
  {
    what: "an idempotency key of a create",
    isFilled: (document) =>
      operationsIn(document).some(
        ({ known, parameters }) => known?.takesBody && parameters.some(isIdempotencyKey),
      ),
    words: /no idempotency key|cannot recognise a repeated (?:create|order)/i,
  },
  {
    what: "a list of jobs",
    isFilled: (document) =>
      operationsIn(document).some(({ method, path }) => method === "get" && /\/jobs\/?$/.test(path)),
    words: /no list of jobs/i,
  },
  {
    what: "values of `captionStyle`",
    isFilled: (document) => {
      const body = bodySchema(named(document, "createScreenshots"));
      return Object.hasOwn(Object(propertyOf(document, body, "captionStyle")), listedValues);
    },
    words: /other values are not documented/i,
  },
];

/** The files that say of something that the document leaves it open, which it does not, as a line for each such gap. */
export function filledGaps(document: JsonObject, written: HandWritten): string[] {
  const lines = [...written].map(([file, text]) => [file, onOneLine(text)] as const);
  return gaps.flatMap(({ what, isFilled, words }) => {
    const files = isFilled(document) ? lines.flatMap(([file, text]) => (words.test(text) ? [file] : [])) : [];
    return files.length > 0
      ? [`${files.join(", ")}: this says that the document lacks ${what}, which it has now`]
      : [];
  });
}

/** Anything in a text that may be a path, behind the origin of a URL or not. */
const anyPath = /(?:https?:\/\/[^\s/`"'<>()|]+)?((?:\/[\w.~-]+)+)\/?/g;

/** The files that name a base path, in whole, or an address below it. */
export function filesWithPath(written: HandWritten, base: string): string[] {
  const isBelow = (found: string) => found === base || found.startsWith(`${base}/public/`);
  return [...written].flatMap(([file, text]) =>
    [...text.matchAll(anyPath)].some(([, found = ""]) => isBelow(found)) ? [file] : [],
  );
}
