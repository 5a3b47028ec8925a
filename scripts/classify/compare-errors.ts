import { distinct, type JsonObject, membersOf } from "../openapi/json.js";
import { isSuccess, jsonSchema } from "../openapi/operations.js";
import { propertiesOf } from "../openapi/walk.js";
import { plain } from "../refusal.js";
import {
  additive,
  allOf,
  both,
  type Change,
  compareByName,
  docs,
  it,
  label,
  oneOf,
  type Pair,
  theErrors,
  those,
} from "./change.js";
import { compareSchemas } from "./compare-schemas.js";
import type { Operation } from "./compare-service.js";
import { formsOf, named } from "./forms.js";

/** The SDK takes any error, so what a document says of one binds nobody. */
export function compareErrors(pair: Pair<Operation>): Change[] {
  const errors = ({ operation }: Operation) =>
    new Map(membersOf(operation.responses).filter(([status]) => !isSuccess(status)));
  const answers = `the answer(s) ${those} of ${it}`;
  return compareByName(both(pair, errors), {
    lost: (status) => [docs(`the document no longer describes ${answers}`, statusIn(status))],
    gained: (status, is) => [
      additive(`the document describes ${answers}`, statusIn(status)),
      ...compareErrorBodies(pair, status, [undefined, jsonSchema(is)]),
    ],
    kept: (status, ...errors) =>
      compareErrorBodies(
        pair,
        status,
        both(errors, (error) => jsonSchema(error)),
      ),
  });
}

const statusIn = (status: string) => (status === "default" ? label(status) : plain(status));

function compareErrorBodies(pair: Pair<Operation>, status: string, schemas: Pair): Change[] {
  const [was, is] = schemas;
  const tell = (changes: Change[]) => changes.map((one) => ({ ...one, error: statusIn(status) }));
  if (is === undefined) {
    return was === is ? [] : tell([docs(`the document no longer describes the body of ${theErrors}`)]);
  }
  if (was === undefined) {
    const holds = contentOf(pair[1].document, is);
    return tell([additive(`the document describes the body of ${theErrors}${holds && `, which ${holds}`}`)]);
  }
  const subject = {
    documents: both(pair, ({ document }) => document),
    direction: "answer",
    owner: `the body of ${theErrors}`,
  } as const;
  const found = compareSchemas(schemas, subject);
  return tell(found.map((one) => ({ ...one, level: one.level === "docs" ? "docs" : "additive" })));
}

/** What a value holds, or else is; empty if it may be anything. */
function contentOf(document: JsonObject, schema: unknown): string {
  const names = distinct(propertiesOf(document, schema).map(([name]) => label(name))).sort();
  if (names.length > 0) return `has ${allOf(names)}`;
  const types = distinct(formsOf(document, schema).map(({ type }) => type));
  return types.includes("any") ? "" : `is ${oneOf(types.map(named))}`;
}
