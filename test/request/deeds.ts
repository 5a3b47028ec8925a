import fc from "fast-check";
import { oneIn } from "../helpers/draws.js";

/** What a hostile proxy does with one request. */
export interface Deed {
  /** Whether it forwards the request to the service. */
  isForwarded: boolean;
  /** The number of event loop ticks before it answers. */
  turns: number;
  /** The status of an interim response before the answer. */
  early: 100 | 103 | undefined;
  status: number;
  headers: Record<string, string>;
  isChunked: boolean;
  /** The form of the job's id. */
  idForm: "usual" | "long" | "quoted" | "number";
  /** The body, in which `<id>` stands for the id of the job, if the service took the request. */
  body: string;
  /** Where the answer is cut off, as a fraction of its bytes, and how. */
  cut: { at: number; how: string } | undefined;
}

const credits = JSON.stringify({ cost: 10, remaining: 90 });
const good = `{"jobId":<id>,"credits":${credits}}`;
/** Bodies of answers that contain the id of a job. */
const taken = [
  good,
  `{"credits":${credits},"jobId" : <id>}`,
  '{"jobId":<id>,"credits":null}',
  '{"jobId":<id>,"credits":{"cost":"ten","remaining":-0.5}}',
  '{"jobId":<id>}',
  '{"jobId":<id>,"cred',
];
const others = ["", "<html><h1>Guru Meditation</h1></html>", '{"message":"no"}', '{"job', "null"];

const in30Seconds = new Date(Date.now() + 30_000).toUTCString();
const hints = fc.constantFrom<Record<string, string>>(
  {},
  ...["0", "1", "61", "-1", "soon", in30Seconds, "Wed, 21 Oct 2015 07:28:00 GMT"].map((value) => ({
    "retry-after": value,
  })),
  ...["0", "250", "90000"].map((value) => ({ "retry-after-ms": value })),
);

const redirects = [301, 302, 307, 308];
/** Statuses that a proxy may answer whether or not the service took the request. */
const doubtful = [408, 500, 502, 503, 504, 520, 599, ...redirects];

/** A fraction of the bytes of an answer. */
const share = fc.oneof(
  fc.constantFrom(0, 1),
  fc.integer({ max: 1000, min: 0 }).map((parts) => parts / 1000),
);

/** Deeds of proxies that cut off answers in these ways. `refusals` are statuses that say that nothing was taken. */
export function deeds(waysToCut: string[], refusals: number[]): fc.Arbitrary<Deed> {
  const deed = (isForwarded: boolean, statuses: number[], bodies: string[]): fc.Arbitrary<Deed> =>
    fc.record({
      isForwarded: fc.constant(isForwarded),
      turns: fc.nat(4),
      early: oneIn(10, fc.constantFrom(100, 103, 103)),
      status: fc.constantFrom(...statuses),
      headers: hints,
      isChunked: fc.boolean(),
      idForm: fc.constantFrom("usual", "long", "quoted", "number"),
      body: fc.constantFrom(...bodies),
      cut: oneIn(2, fc.record({ at: share, how: fc.constantFrom(...waysToCut) })),
    });
  return fc.oneof(
    { weight: 4, arbitrary: deed(true, [201], [good]) },
    { weight: 3, arbitrary: deed(true, [200, 201, 202], [...taken, ...others]) },
    { weight: 4, arbitrary: deed(true, doubtful, [...taken, ...others]) },
    { weight: 2, arbitrary: deed(false, [200, ...doubtful], others) },
    { weight: 2, arbitrary: deed(false, refusals, others) },
    { weight: 4, arbitrary: deed(false, [429], others) },
  );
}

/** Deeds of a proxy that forwards a request to the service and then answers that it was misdirected. */
export const misdirected: fc.Arbitrary<Deed> = deeds(["close"], [421]).map((deed) => ({
  ...deed,
  isForwarded: true,
  status: 421,
}));
