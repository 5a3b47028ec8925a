import fc from "fast-check";

/** Today's answers, without the fields that the service needs to be the same service. */
const answers = {
  app: { name: "some name", category: "some category", artworkUrl: "https://example.com/artwork.png" },
  acceptance: { credits: { cost: 10, remaining: 10 } },
  job: { error: null, result: { device: "some device", slides: [{ caption: "one" }] } },
};

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, "", "later", 8.5, -1, true, [], {}, [1], { deep: { er: [null] } }),
  // As it arrives: JSON has no -0.
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
);

/** The paths of all fields of a value. */
function pathsOf(value: unknown, parent: string[] = []): string[][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const path = [...parent, name];
    return [path, ...pathsOf(field, path)];
  });
}

/** A change that a service makes to a field of an answer without asking. */
const change = fc.record({
  path: fc.constantFrom(...pathsOf(answers).filter((path) => path.length > 1)),
  kind: fc.constantFrom("add beside", "leave out", "replace"),
  value: anything,
});

const messages = ["no", { detail: "no" }, { errors: [{ code: 7 }] }, ["no"], { message: { en: "no" } }];

export const tomorrow = fc.record({
  changes: fc.array(change, { maxLength: 6 }),
  /** What the service means to do with a set, whatever its answers look like. */
  fate: fc.constantFrom(
    ...["succeeds", "fails", "succeeds as a new status", "fails as a new status", "is refused"],
  ),
  /** The statuses of the job before it ends. */
  unfinished: fc.array(fc.constantFrom("queued", "running", "paused", "waiting-for-review", ""), {
    maxLength: 3,
  }),
  status: fc.constantFrom(200, 201, 202, 203, 299),
  headers: fc.constantFrom<Record<string, string>>({}, { deprecation: "true" }, { etag: '"1"' }),
  /** The body of a refusal, and the `error` of a job that failed. */
  error: fc.oneof(
    fc.constantFrom<unknown>(...messages),
    anything.filter((value) => value !== null),
  ),
  /** A device that yesterday's document does not list. */
  device: fc.option(fc.constantFrom("vision-pro", "watch-ultra"), { nil: undefined }),
});
export type Tomorrow = typeof tomorrow extends fc.Arbitrary<infer Plan> ? Plan : never;

/** Today's answers after these changes. */
function changed(changes: Tomorrow["changes"]): Record<keyof typeof answers, Record<string, unknown>> {
  const all = structuredClone(answers);
  for (const [index, { path, kind, value }] of changes.entries()) {
    // An earlier change may have replaced what the field was in.
    const fields = path.slice(0, -1).reduce<unknown>((at, name) => Object(at)[name], all);
    if (typeof fields !== "object" || fields === null) continue;
    const name = path.at(-1) as string;
    if (kind === "leave out") Reflect.deleteProperty(fields, name);
    else Object.assign(fields, { [kind === "replace" ? name : `new${index}`]: structuredClone(value) });
  }
  return all;
}

/** The service of tomorrow, and how often it charged. */
export function tomorrowsService(plan: Tomorrow) {
  const { app, acceptance, job: ended } = changed(plan.changes);
  const counted = { charges: 0 };
  let polls = 0;
  const json = (body: unknown, status: number = plan.status) =>
    new Response(JSON.stringify(body), { status, headers: plan.headers });
  const job = () => {
    const body: Record<string, unknown> = { ...ended, id: "job-1" };
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
    if (pathname.endsWith("/apps")) return json({ ...app, appId: "app-1" });
    if (init?.method !== "POST") return json(job());
    if (plan.fate === "is refused") return json(plan.error, 402);
    counted.charges++;
    return json({ ...acceptance, jobId: "job-1" });
  };
  return { fetch, counted };
}
