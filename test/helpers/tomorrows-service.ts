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

/** A change that a service makes to an answer without asking. */
const change = fc.record({
  answer: fc.constantFrom<keyof typeof answers>("app", "acceptance", "job"),
  kind: fc.constantFrom("add", "leave out", "replace"),
  /** Which field, as a share of all that may change. */
  which: fc.double({ min: 0, max: 0.999, noNaN: true }),
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

/** The paths of all fields of an answer. */
function pathsOf(value: unknown, parent: string[] = []): string[][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => [
    [...parent, name],
    ...pathsOf(field, [...parent, name]),
  ]);
}

/** An answer by the changed document. */
function answerBy(changes: Tomorrow["changes"], answer: keyof typeof answers): Record<string, unknown> {
  const body = structuredClone(answers[answer]) as Record<string, unknown>;
  const all = pathsOf(body);
  for (const [index, { answer: of, kind, which, value }] of changes.entries()) {
    if (of !== answer) continue;
    const [last = "", ...parents] = [...(all[Math.floor(which * all.length)] ?? [])].reverse();
    // An earlier change may have replaced what it was in.
    const fields = parents.reduceRight<unknown>((at, name) => Object(at)[name], body);
    if (typeof fields !== "object" || fields === null) continue;
    if (kind === "leave out") Reflect.deleteProperty(fields, last);
    else Object.assign(fields, { [kind === "add" ? `new${index}` : last]: value });
  }
  return body;
}

/** The service of tomorrow, and how often it charged. */
export function tomorrowsService(plan: Tomorrow) {
  const counted = { charges: 0 };
  let polls = 0;
  const json = (body: unknown, status: number = plan.status) =>
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
