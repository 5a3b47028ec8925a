import fc from "fast-check";
import { type AcceptedJob, type ClientOptions, ScreenshotSets, ScreenshotSetsError } from "screenshot-sets";
import { expect } from "vitest";
import { apiKey } from "../helpers/outcome-of.js";
import { attemptTimeoutMs, RequestClock } from "../helpers/request-clock.js";
import type { Deed } from "./deeds.js";

/** One create of a history. It has its own app, so that its charges can be counted. */
interface Create {
  deeds: Deed[];
  clock: RequestClock;
  /** How often its requests reached the proxy. */
  met: number;
  /** The jobs that the service charged for. It charges for each create that reaches it. */
  jobIds: string[];
  /** The job id in the bytes that the proxy wrote, if they contained one. */
  toldJobId: string | undefined;
}

/** What the proxy does with one request, and its answer. */
export interface Meeting {
  deed: Deed;
  clock: RequestClock;
  body: string;
  /** Tells which part of the body the client received. */
  tell(part: string): void;
}

/** How a create ended. */
interface Ended extends Create {
  value: AcceptedJob | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into errors of every class
  error: any;
}

/** The rules for every create. */
const rules: Record<string, (ended: Ended) => boolean> = {
  "is charged at most once": ({ jobIds }) => jobIds.length <= 1,
  "is sent again only after a 429": ({ deeds }) => deeds.slice(0, -1).every(({ status }) => status === 429),
  "resolves to the job that it was charged for": ({ value, jobIds }) =>
    value === undefined || value?.jobId === jobIds[0],
  "fails with an error of ours": ({ error }) => error === undefined || error instanceof ScreenshotSetsError,
  "was not charged where the error says so": ({ error, jobIds }) =>
    error?.charged !== "no" || jobIds.length === 0,
  "is known not to be charged where it was refused": ({ error }) =>
    !isRefusal(error?.status) || error.charged === "no",
  "may have been charged in all other cases": ({ error }) =>
    error === undefined || error.charged === "no" || error.charged === "maybe",
  "names the job that the answer named": ({ toldJobId, value, error }) =>
    toldJobId === undefined || toldJobId === (value ?? error).jobId,
};

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

/** Whether a 421 came although the service took the request. Nobody can tell in that case. */
function isLiedTo({ deeds }: Ended): boolean {
  return deeds.some(({ isForwarded, status }) => isForwarded && status === 421);
}

/** How many creates of a history ended in each way. */
type Tally = Record<"resolved" | "notCharged" | "maybeCharged" | "named" | "sentAgain", number>;

/** The number of concurrent creates. */
const together = 48;

/** Sends many creates, a few at a time, and records what the service took. */
export class CreateHistory {
  readonly #creates = new Map<string, Create>();

  /** Handles a request that reached the proxy, which may forward it to the service. */
  meet(requestBody: string): Meeting {
    const { appId } = JSON.parse(requestBody) as { appId: string };
    const create = this.#creates.get(appId) as Create;
    const deed = create.deeds[create.met++ % create.deeds.length] as Deed;
    // By HTTP's definition, the request of a refused stream was not processed.
    const isForwarded = deed.isForwarded && deed.cut?.how !== "REFUSED_STREAM";
    const id = isForwarded ? accept(create.jobIds, appId, deed.idForm) : "";
    const body = deed.body.replace("<id>", () => id);
    // A number is complete only with the character after it.
    const end = deed.body.indexOf("<id>") + id.length + (deed.idForm === "number" ? 1 : 0);
    const tell = (part: string) => {
      if (body !== deed.body && part.length >= end) create.toldJobId = create.jobIds.at(-1);
    };
    return { deed, clock: create.clock, body, tell };
  }

  /**
   * Sends the creates and checks the rules for each.
   *
   * @param seed of the history, printed if it breaks a rule
   */
  async run(count: number, deed: fc.Arbitrary<Deed>, options: ClientOptions, seed: number): Promise<void> {
    const plans = fc.sample(fc.tuple(deed, deed, deed), { numRuns: count, seed }).entries();
    const tally: Tally = { resolved: 0, notCharged: 0, maybeCharged: 0, named: 0, sentAgain: 0 };
    const broken: Record<string, number> = {};
    let example: Ended | undefined;
    const work = async () => {
      for (const [index, plan] of plans) {
        const ended = await this.#create(`app-${index}`, plan, options);
        const checked = Object.keys(rules).slice(0, isLiedTo(ended) ? 1 : undefined);
        for (const rule of checked.filter((rule) => !rules[rule]?.(ended))) {
          broken[rule] = (broken[rule] ?? 0) + 1;
          example ??= ended;
        }
        add(tally, ended);
      }
    };
    await Promise.all(Array.from({ length: together }, work));
    expect({ seed, broken, example }).toEqual({ seed, broken: {}, example: undefined });
    // A history in which one of these hardly happens proves little.
    expect(Math.min(...Object.values(tally)), JSON.stringify(tally)).toBeGreaterThan(count / 50);
  }

  async #create(appId: string, deeds: Deed[], options: ClientOptions): Promise<Ended> {
    const clock = new RequestClock();
    const create: Create = { deeds, clock, met: 0, jobIds: [], toldJobId: undefined };
    this.#creates.set(appId, create);
    const client = new ScreenshotSets({ apiKey, clock, timeoutMs: attemptTimeoutMs, ...options });
    const call = client.screenshots.create({ appId, device: "iphone-69" });
    // When an HTTP/2 session ends, undici leaves some of its requests pending for ever.
    let isLost = false;
    const watchdog = setTimeout(() => {
      isLost = true;
      void clock.expire();
    }, 3_000);
    const [settled] = await Promise.allSettled([call]);
    clearTimeout(watchdog);
    const { value, reason: error } = settled as { value?: AcceptedJob; reason?: unknown };
    return {
      ...create,
      // The client may not have read everything that the proxy wrote by then.
      toldJobId: isLost ? undefined : create.toldJobId,
      deeds: deeds.slice(0, create.met),
      value,
      error,
    };
  }
}

/** Charges for one more job, and returns its id as JSON. */
function accept(jobIds: string[], appId: string, form: Deed["idForm"]): string {
  const name = `job-${appId}-${jobIds.length}`;
  // More digits than a JavaScript number can hold.
  const digits = `9007199254740993${appId.replace(/\D/g, "")}${jobIds.length}`;
  const ids = { usual: name, long: name.padEnd(1_500, "-0"), quoted: `${name} "é\\`, number: digits };
  jobIds.push(ids[form]);
  return form === "number" ? digits : JSON.stringify(ids[form]);
}

function add(tally: Tally, { met, value, error }: Ended): void {
  if (value !== undefined) tally.resolved++;
  else if (error.charged === "no") tally.notCharged++;
  else tally.maybeCharged++;
  if (error?.jobId !== undefined) tally.named++;
  if (met > 1) tally.sentAgain++;
}
