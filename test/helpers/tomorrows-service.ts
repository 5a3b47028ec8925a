import fc from "fast-check";

/** A JSON schema, as far as the document's answers use it. */
interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
}

/** What the service means to do with a set, whatever its answers look like. */
export type Fate = "succeeds" | "fails" | "succeeds as a new status" | "fails as a new status" | "is refused";

/** A change that a service makes without asking: of one answer's schema, or of its status or headers. */
export interface Change {
  answer: "app" | "acceptance" | "job";
  kind: "add" | "leave out" | "null" | "other type" | "widen";
  /** Which property, as a share of all that may change. */
  which: number;
  value: unknown;
}

export interface Tomorrow {
  changes: Change[];
  fate: Fate;
  /** The statuses of the job before it ends. */
  unfinished: string[];
  status: number;
  headers: Record<string, string>;
  /** The body of a refusal, and the `error` of a job that failed. */
  error: unknown;
  /** A device that yesterday's document does not list. */
  device: string | undefined;
}

const text = (name: string): Schema => ({ type: "string", enum: [`some ${name}`] });
const integer: Schema = { type: "integer" };

/** The answers of today's document, without the fields that the service needs to be the same service. */
const answers: Record<Change["answer"], Schema> = {
  app: { properties: { name: text("name"), category: text("category"), artworkUrl: text("artworkUrl") } },
  acceptance: { properties: { credits: { properties: { cost: integer, remaining: integer } } } },
  job: {
    properties: {
      error: { type: "null" },
      result: { properties: { device: text("device"), slides: { type: "array", items: {} } } },
    },
  },
};

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, "", "later", 8.5, -1, true, [], {}, [1], { deep: { er: [null] } }),
  fc.jsonValue({ maxDepth: 2 }),
);

export const tomorrow: fc.Arbitrary<Tomorrow> = fc.record({
  changes: fc.array(
    fc.record({
      answer: fc.constantFrom("app" as const, "acceptance" as const, "job" as const),
      kind: fc.constantFrom(
        ...(["add", "leave out", "null", "other type", "widen"] as const satisfies Change["kind"][]),
      ),
      which: fc.double({ min: 0, max: 0.999, noNaN: true }),
      value: anything,
    }),
    { maxLength: 6 },
  ),
  fate: fc.constantFrom<Fate>(
    ...(["succeeds", "fails", "succeeds as a new status", "fails as a new status", "is refused"] as const),
  ),
  unfinished: fc.array(fc.constantFrom("queued", "running", "paused", "waiting-for-review", ""), {
    maxLength: 3,
  }),
  status: fc.constantFrom(200, 201, 202, 203, 299),
  headers: fc.constantFrom<Record<string, string>>(
    {},
    { deprecation: "true" },
    { "x-plan": "new", etag: '"1"' },
  ),
  error: fc.oneof(
    fc.constantFrom<unknown>("no", { detail: "no" }, { errors: [{ code: 7 }] }, ["no"], {
      message: { en: "no" },
    }),
    anything.filter((value) => value !== null),
  ),
  device: fc.option(fc.constantFrom("vision-pro", "watch-ultra"), { nil: undefined }),
});

/** The paths of all properties of a schema. */
function pathsOf({ properties = {} }: Schema, parent: string[] = []): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    [...parent, name],
    ...pathsOf(schema, [...parent, name]),
  ]);
}

function sampleOf({ properties, items, type, enum: values }: Schema): unknown {
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sampleOf(one)]));
  if (items) return [{ caption: "one" }];
  if (values) return values[0];
  return type === "integer" ? 10 : null;
}

/** An answer by the changed document. */
function answerBy(changes: Change[], answer: Change["answer"]): Record<string, unknown> {
  const body = sampleOf(answers[answer]) as Record<string, unknown>;
  const all = pathsOf(answers[answer]);
  for (const [index, { answer: of, kind, which, value }] of changes.entries()) {
    if (of !== answer) continue;
    const path = all[Math.floor(which * all.length)] as string[];
    const parents = path.slice(0, -1);
    const last = path.at(-1) as string;
    const parent = parents.reduce<unknown>(
      (at, name) => (at as Record<string, unknown> | null)?.[name],
      body,
    );
    if (typeof parent !== "object" || parent === null) continue;
    const fields = parent as Record<string, unknown>;
    if (kind === "add") fields[`new${index}`] = value;
    else if (kind === "leave out") delete fields[last];
    else fields[last] = kind === "null" ? null : value;
  }
  return body;
}

/** The service of tomorrow, and how often it charged. */
export function tomorrowsService(plan: Tomorrow) {
  const counted = { charges: 0 };
  let polls = 0;
  const json = (body: unknown, status = plan.status) =>
    new Response(JSON.stringify(body), { status, headers: plan.headers });
  const job = () => {
    const body: Record<string, unknown> = { ...answerBy(plan.changes, "job"), id: "job-1" };
    const status = plan.unfinished[polls++];
    if (status !== undefined) return { ...body, status, result: null, error: null };
    const isNew = plan.fate.endsWith("new status");
    if (plan.fate.startsWith("fails")) {
      return { ...body, status: isNew ? "cancelled" : "failed", result: null, error: plan.error };
    }
    // A result is an object; whatever else the document says of it may change.
    const { result } = body;
    const isObject = typeof result === "object" && result !== null && !Array.isArray(result);
    return { ...body, status: isNew ? "partly" : "succeeded", result: isObject ? result : {}, error: null };
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    if (pathname.endsWith("/apps")) return json({ ...answerBy(plan.changes, "app"), appId: "app-1" });
    if (init?.method !== "POST") return json(job());
    if (plan.fate === "is refused") return json(plan.error, 402);
    counted.charges++;
    return json({ ...answerBy(plan.changes, "acceptance"), jobId: "job-1" });
  };
  return { fetch, counted };
}
