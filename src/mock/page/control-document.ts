import * as z from "zod/mini";
import { operations } from "./control-api.js";
import type { Operation } from "./operation.js";
import { answers } from "./schemas.js";
import { version } from "./state.js";

/** The prefix of every path of the control API. */
export const controlPath = "/_mock";

const json = (schema: unknown) => ({ content: { "application/json": { schema } } });
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const refusal = { description: "Refused.", ...json(reference("Refusal")) };

/** The OpenAPI document of the control API, built from the schemas of the operations. */
export function controlDocument(): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = `${controlPath}${operation.path}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described(operation) };
  }
  const stream = { description: "Events `state`, each a `State`.", content: { "text/event-stream": {} } };
  const summary = "The state at once, and whenever it has changed; at most five times a second.";
  paths[`${controlPath}/events`] = { get: { summary, responses: { 200: stream, default: refusal } } };
  return {
    openapi: "3.1.0",
    info: { title: "The control API of the mock of screenshot-sets", version },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(answers).map(([name, schema]) => [name, plain(schema)])),
    },
  };
}

function described({ path, summary, query, body, status, answer }: Operation): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const inPath = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const { properties = {} } = query ? (plain(query) as { properties?: Record<string, unknown> }) : {};
  const inQuery = Object.entries(properties).map(([name, schema]) => ({ name, in: "query", schema }));
  const success = { description: "Done.", ...(answer && json(reference(answer))) };
  return {
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: json(plain(body)) }),
    responses: { [status]: success, default: refusal },
  };
}

function plain(schema: z.core.$ZodType): object {
  const { $schema, ...described } = z.toJSONSchema(schema, { unrepresentable: "any" });
  return described;
}
