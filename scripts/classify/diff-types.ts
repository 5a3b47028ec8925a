import ts from "typescript";
import { diagnose } from "../compile/type-check.js";
import { listOperations, type Operation } from "../emit/emit-operations.js";
import { emitTypes } from "../emit/generate-files.js";
import { withOptionalDefaults } from "../normalise/split-directions.js";
import { escaped, type JsonObject } from "../openapi/json.js";
import type { Change } from "./change.js";

/** A change to report if the compiler rejects the code. */
type Question = Change & { code: string };

/**
 * The changes between two comparable documents for code that was written for the first: what it sends must fit the new
 * types, and what it receives must fit the old ones.
 */
export async function diffTypes(before: JsonObject, after: JsonObject): Promise<Change[]> {
  const typesOf = (document: JsonObject) => emitTypes(withOptionalDefaults(document));
  const [old, current] = [await typesOf(before), await typesOf(after)];
  const present = new Set(listOperations(after).map(pointerOf));
  const operations = listOperations(before);
  const removed = operations.map(pointerOf).filter((pointer) => !present.has(pointer));
  const questions = operations.filter((operation) => present.has(pointerOf(operation))).flatMap(questionsOf);
  const failed = failedLines([prelude, ...questions.map(({ code }) => code)].join("\n"), old, current);
  return [
    ...removed.map((where): Change => ({ level: "breaking", rule: "operation-removed", where })),
    ...questions
      .filter((_, index) => failed.has(firstLine + index))
      .map(({ level, rule, where }) => ({ level, rule, where })),
  ];
}

const prelude = `
import type { paths as Old } from "./old.js";
import type { paths as New } from "./new.js";
type JsonOf<Message> = Message extends { content: { "application/json": infer Body } } ? Body : undefined;
type BodyOf<Operation> = Operation extends { requestBody: infer Body } ? JsonOf<Body> : Operation extends { requestBody?: infer Body } ? JsonOf<NonNullable<Body>> | undefined : undefined;
type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | "2XX";
type AnswerOf<Operation> = Operation extends { responses: infer Responses } ? JsonOf<Responses[keyof Responses & Success]> : never;
type ParametersOf<Operation> = Operation extends { parameters: infer Parameters } ? Pick<Parameters, keyof Parameters & ("path" | "query")> : unknown;
declare function fits<Given, Wanted>(...wrong: Given extends Wanted ? [] : [never]): void;
`.trim();

/** The line of the first question, counted from 0. */
const firstLine = prelude.split("\n").length;

/** Asks in both directions whether a value of one type can be used where the other is expected. */
function questionsOf(operation: Operation): Question[] {
  const where = pointerOf(operation);
  const key = `[${JSON.stringify(operation.path)}][${JSON.stringify(operation.method.toLowerCase())}]`;
  const both = (rule: string, type: string, where: string, isSent: boolean): Question[] => {
    const [old, current] = [`${type}<Old${key}>`, `${type}<New${key}>`];
    const narrowed = isSent ? "breaking" : "additive";
    const widened = isSent ? "additive" : "breaking";
    return [
      { level: narrowed, rule: `${rule}-narrowed`, where, code: `fits<[${old}], [${current}]>();` },
      { level: widened, rule: `${rule}-widened`, where, code: `fits<[${current}], [${old}]>();` },
    ];
  };
  return [
    ...both("request-type", "BodyOf", `${where}/requestBody`, true),
    ...both("parameters", "ParametersOf", where, true),
    ...both("answer-type", "AnswerOf", `${where}/responses`, false),
  ];
}

/** The lines of the code that the compiler rejects, counted from 0. */
function failedLines(code: string, old: string, current: string): Set<number> {
  const modules = { "/types/old.ts": old, "/types/new.ts": current, "/types/questions.ts": code };
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es5.d.ts"],
    types: [],
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
  };
  const problems = diagnose(["/types/questions.ts"], options, new Map(Object.entries(modules)));
  return new Set(
    problems.map(({ file, start = 0, messageText }) => {
      const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
      if (file?.fileName === "/types/questions.ts" && line >= firstLine) return line;
      throw new Error(`Failed to compare types: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
    }),
  );
}

function pointerOf({ method, path }: Operation): string {
  return `#/paths/${escaped(path)}/${method.toLowerCase()}`;
}
