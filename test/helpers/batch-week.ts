import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import {
  type ClientOptions,
  ConfigurationError,
  type CreateScreenshotsParams,
  type Logger,
  ScreenshotSets,
  setCost,
} from "screenshot-sets";
import {
  type BatchOptions,
  type FileStore,
  fileStore,
  runBatch,
  type SetOutcome,
  type StoredSet,
} from "screenshot-sets/batch";
import { createMock, type Mock, type MockClock } from "screenshot-sets/mock";
import { type ClockHooks, holdClock } from "../../src/time/clock-hooks.js";
import type { BatchProgram } from "./batch-process.js";
import { liveTakeover, type Takeover, takeover } from "./batch-takeover.js";
import { collect } from "./collect.js";
import { oneIn } from "./draws.js";
import { rejection } from "./rejection.js";

const secondMs = 1_000;
const outage = fc.record({
  afterMs: fc.constantFrom(0, 0, 1, 500, 3 * secondMs),
  forMs: fc.integer({ min: secondMs, max: 30 * secondMs }),
  how: fc.constantFrom("503", "a web page", "no connection", "a lost request", "a lost answer", "silence"),
});

type Outage = typeof outage extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** What happens before and during a run of a batch. "After" counts the saves and requests that it has begun. */
const run = fc.record({
  before: oneIn(
    2,
    fc.constantFrom(
      ...["a moved file", "a dead lock", "reordered", "a doubled set", "another service"],
      ...["a lost line break", "other ends of lines", "a doubled file"],
    ),
  ),
  concurrency: fc.integer({ min: 1, max: 4 }),
  /** Whether all sets that are uncertain are ordered again. */
  again: oneIn(4, fc.constant(true)),
  latencyMs: fc.constantFrom(0, 300, 3_000),
  cost: fc.constantFrom(setCost, setCost, setCost, 2 * setCost),
  refusals: fc.constantFrom(0, 0, 1, 3),
  outage: oneIn(2, outage),
  abortAfterMs: oneIn(2, fc.integer({ min: 0, max: 20 * secondMs })),
  /** The process dies: its store and its client answer no more. */
  diesAfter: oneIn(2, fc.integer({ min: 1, max: 60 })),
  leavesTornLine: fc.boolean(),
  diskIsFullAfter: oneIn(4, fc.integer({ min: 1, max: 40 })),
  secondProcessAfter: oneIn(4, fc.integer({ min: 1, max: 40 })),
});
type Run = typeof run extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const inPeace: Run = {
  before: undefined,
  concurrency: 4,
  again: undefined,
  latencyMs: 0,
  cost: setCost,
  refusals: 0,
  outage: undefined,
  abortAfterMs: undefined,
  diesAfter: undefined,
  leavesTornLine: false,
  diskIsFullAfter: undefined,
  secondProcessAfter: undefined,
};

/** A run of the command in a process of its own, which a signal ends. */
const processRun = fc.record({
  signal: fc.constantFrom<NodeJS.Signals>("SIGHUP", "SIGTERM", "SIGKILL"),
  afterMs: fc.integer({ min: 200, max: 1_500 }),
});

const anyRun = fc.oneof(
  { arbitrary: run, weight: 60 },
  { arbitrary: processRun.map((process) => ({ process })), weight: 1 },
);

/** What happens to a batch until it is run in peace. */
export const week = fc.record({
  maxCredits: oneIn(3, fc.constantFrom(50, 90)),
  runs: fc
    .tuple(fc.array(anyRun, { minLength: 1, maxLength: 2 }), takeover, fc.array(anyRun, { maxLength: 3 }))
    .map(([before, takeover, after]) => [...before, { takeover }, ...after]),
});
type DrawnWeek = typeof week extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** What a week needs. */
export interface World {
  /** The built command. */
  command: string;
  /** Runs a batch in a process of its own. */
  program: BatchProgram;
  /** The package as another process has loaded it. */
  another: Pick<typeof import("screenshot-sets/batch"), "fileStore" | "runBatch">;
}

const keys = [..."abcdefghijkl"];
const never = new Promise<never>(() => {});
const broken = (code: string, syscall: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code, syscall }) });
const refused = broken("ECONNREFUSED", "connect");
const reset = broken("ECONNRESET", "read");

/** A batch on a file, and its service. */
export class BatchWeek {
  /** The rules that were broken. */
  readonly found = new Set<string>();
  readonly path: string;
  /** How many sets may be uncertain at most, by what happened. */
  mostUncertain = 0;
  /** In credits. */
  spent = 0;
  /** A word for each process that has lost the file while it slept. */
  readonly takenOver: string[] = [];
  readonly sets: Record<string, CreateScreenshotsParams>;
  readonly #jobs = new Map<string, string>();
  /** Whether sets were ordered again. */
  #isRepeated = false;
  #moves = 0;

  private constructor(
    readonly world: World,
    readonly maxCredits: number | undefined,
    readonly mock: Mock,
    private readonly url: string,
    private readonly folder: string,
    appId: string,
  ) {
    this.path = join(folder, "state.json");
    this.sets = Object.fromEntries(
      keys.map((key) => [key, { appId, device: "iphone-69", narrativeId: key }]),
    );
  }

  /** Runs a batch through a week, and once more in peace. Returns the rules that were broken, and how its sets ended. */
  static async live({ maxCredits, runs }: DrawnWeek, world: World) {
    const mock = createMock({ allowance: 100_000, lifecycle: { queued: 1, running: 1, unit: "polls" } });
    const { url, close } = await mock.listen();
    const folder = mkdtempSync(join(tmpdir(), "week-"));
    const { appId } = await new ScreenshotSets(mock.clientOptions).apps.create({
      iosUrl: "https://apps.apple.com/us/app/example/id1",
    });
    const week = new BatchWeek(world, maxCredits, mock, url, folder, appId);
    try {
      for (const one of runs) {
        if ("takeover" in one) await week.#takeOver(one.takeover);
        else await ("process" in one ? week.#inProcessOfItsOwn(one.process) : week.#inThisProcess(one));
      }
      const ends = await week.#checkEnds(await week.#inThisProcess(inPeace));
      return { broken: [...week.found], ends: [...ends, ...week.takenOver] };
    } finally {
      await close();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** The service: what a request is answered that reaches it. */
  ask(address: string, init?: RequestInit): Promise<Response> {
    return this.mock.fetch(address.replace(this.url, this.mock.clientOptions.baseUrl), init);
  }

  /** @param more further options */
  clientOf(fetch: typeof globalThis.fetch, more: ClientOptions = {}): ScreenshotSets {
    return new ScreenshotSets({ ...this.mock.clientOptions, baseUrl: this.url, fetch, ...more });
  }

  /** What `batch-worker.ts` is told of the batch. */
  get variables(): Record<string, unknown> {
    return {
      SCREENSHOT_SETS_API_KEY: this.mock.clientOptions.apiKey,
      SCREENSHOT_SETS_BASE_URL: this.url,
      STORE: this.path,
      SETS: JSON.stringify(this.sets),
      ...(this.maxCredits !== undefined && { MAX_CREDITS: this.maxCredits }),
    };
  }

  /** What the file holds. */
  async records(): Promise<[string, StoredSet][]> {
    const store = fileStore(this.path);
    return collect(store.list() as AsyncIterable<[string, StoredSet]>).finally(() => store.close());
  }

  async #takeOver(given: Takeover): Promise<void> {
    this.#isRepeated ||= given.again === true;
    await liveTakeover(this, given);
  }

  async #inThisProcess(given: Run): Promise<SetOutcome[]> {
    this.#isRepeated ||= given.again === true;
    await this.#prepare(given.before);
    this.mostUncertain += given.outage ? given.concurrency + 2 : 0;
    return new Life(this, given).live();
  }

  async #inProcessOfItsOwn({ signal, afterMs }: { signal: NodeJS.Signals; afterMs: number }) {
    const { maxCredits, mock, sets } = this;
    const file = join(this.folder, "batch.json");
    writeFileSync(file, JSON.stringify({ sets }));
    const limit = maxCredits === undefined ? [] : ["--max-credits", `${maxCredits}`];
    const before = mock.credits.used;
    const args = [this.world.command, "batch", file, "--state", this.path, ...limit];
    const key = mock.clientOptions.apiKey;
    const env = { ...process.env, SCREENSHOT_SETS_API_KEY: key, SCREENSHOT_SETS_BASE_URL: this.url };
    const child = spawn(process.execPath, args, { env, stdio: "ignore" });
    const exit = once(child, "exit");
    await Promise.race([delay(afterMs), exit]);
    child.kill(signal);
    await exit;
    this.spent += mock.credits.used - before;
    // The other signals are aborts, which leave nothing open.
    if (signal === "SIGKILL") this.mostUncertain += 4;
  }

  async #prepare(before: Run["before"]): Promise<void> {
    const { path, sets } = this;
    if (before === "a moved file") this.#move();
    if (before === "a dead lock") {
      const lock = `${existsSync(path) ? realpathSync(path) : path}.lock`;
      mkdirSync(lock, { recursive: true });
      writeFileSync(join(lock, "dead"), "{}");
    }
    if (existsSync(path)) {
      const text = readFileSync(path, "utf8");
      if (before === "a lost line break") writeFileSync(path, text.trimEnd());
      if (before === "other ends of lines") writeFileSync(path, `\uFEFF${text.replaceAll("\n", "\r\n")}`);
      if (before === "a doubled file") writeFileSync(path, text + text);
    }
    const doubled = [...Object.entries(sets), ...Object.entries(sets).slice(0, 1)];
    if (before === "a doubled set") await this.#refuses({ sets: doubled });
    if (before === "another service" && this.#jobs.size > 0) {
      await this.#refuses({ sets }, { baseUrl: "https://other.example/v1" });
    }
  }

  /** Moves the file to another folder, and has a link lead to it. */
  #move(): void {
    const { path } = this;
    const volume = join(this.folder, `volume-${++this.#moves}`);
    mkdirSync(volume);
    if (existsSync(path)) renameSync(realpathSync(path), join(volume, "sets"));
    rmSync(path, { force: true });
    symlinkSync(join(volume, "sets"), path);
  }

  /** Tries what must be refused before anything is sent. */
  async #refuses(options: Pick<BatchOptions, "sets">, more: ClientOptions = {}): Promise<void> {
    const fetch = () => {
      this.found.add("sent what must be refused");
      return Promise.reject(refused);
    };
    const begun = async () => {
      const batch = runBatch(this.clientOf(fetch, more), { store: fileStore(this.path), ...options });
      await batch.next().finally(() => batch.return());
    };
    if (!((await rejection(begun())) instanceof ConfigurationError)) this.found.add("not refused");
  }

  /**
   * What must be true of each run that has ended.
   *
   * @param isStored whether a later run knows of the jobs
   */
  check(outcomes: SetOutcome[], isStored: boolean): void {
    const told = outcomes.map(({ key }) => key).sort();
    if (told.join() !== keys.join()) this.found.add("not one outcome a set");
    for (const { key, status } of outcomes) {
      const counts = { succeeded: [1], waiting: [1], uncertain: [0, 1], failed: [0], skipped: [0] }[status];
      const count = this.#charges(key);
      if (!this.#isRepeated && !counts.includes(count)) this.found.add(`${status}, charged ${count} times`);
    }
    for (const { key, status, jobId } of outcomes) {
      if (this.#jobs.has(key) && this.#jobs.get(key) !== jobId)
        this.found.add(`${status}, after a job was known`);
    }
    if (isStored) this.learn(outcomes);
  }

  /** From now on, these sets have these jobs. */
  learn(outcomes: Pick<SetOutcome, "key" | "jobId">[]): void {
    for (const { key, jobId } of outcomes) {
      if (jobId === undefined) continue;
      if ((this.#jobs.get(key) ?? jobId) !== jobId) this.found.add(`two jobs`);
      this.#jobs.set(key, jobId);
    }
  }

  /** What must be true at the end. */
  async #checkEnds(outcomes: SetOutcome[]): Promise<string[]> {
    const records = new Map(await this.records());
    const orders = keys.map((key) => {
      const { state, earlier = [] } = records.get(key) ?? {};
      const all = state ? [...earlier, state] : earlier;
      if (this.#charges(key) > all.length) this.found.add(`charged without a record`);
      return all;
    });
    const ends = outcomes.map(({ status, reason }) => reason ?? status);
    const uncertain = ends.filter((end) => end === "uncertain").length;
    if (uncertain > this.mostUncertain) {
      this.found.add(`${uncertain} uncertain, expected ${this.mostUncertain} at most`);
    }
    const lost = ends.filter((end) => !["succeeded", "uncertain", "budget"].includes(end));
    if (lost.length > 0) this.found.add(`in peace: ${lost}`);
    // An order that is uncertain counts at the highest price that is known, and one create may meet a higher one.
    const unpriced = orders.flat().filter(({ step }) => step === "sending" || step === "uncertain").length;
    const most = (this.maxCredits ?? Number.POSITIVE_INFINITY) + (1 + unpriced) * setCost;
    if (this.spent > most) this.found.add("passed its budget");
    return ends;
  }

  /** How often a set was charged. */
  #charges(key: string): number {
    const creates = this.mock.requests({ operation: "createScreenshots" });
    return creates.filter(
      ({ credits, body }) => credits > 0 && (body as CreateScreenshotsParams).narrativeId === key,
    ).length;
  }
}

/** One run of a batch in this process. */
class Life {
  readonly #store: FileStore;
  readonly #clock: MockClock & Required<ClockHooks>;
  readonly #startedAt: number;
  readonly #stop = new AbortController();
  /** The keys of the sets whose create it began to send. */
  readonly #sent = new Set<string>();
  /** The jobs that were accepted in an answer that came, and those that the log names. */
  readonly #accepted = new Set<string>();
  readonly #logged = new Set<unknown>();
  readonly #death: Promise<"died">;
  #die = () => {};
  #trial: Promise<void> | undefined;
  #isDead = false;
  #begun = 0;
  #refusals: number;
  #unsaved = 0;

  constructor(
    private readonly week: BatchWeek,
    private readonly given: Run,
  ) {
    this.#store = fileStore(week.path);
    this.#clock = week.mock.clock as MockClock & Required<ClockHooks>;
    this.#startedAt = this.#clock.now();
    this.#refusals = given.refusals;
    this.#death = new Promise((resolve) => {
      this.#die = () => resolve("died");
    });
  }

  async live(): Promise<SetOutcome[]> {
    const { week, given } = this;
    const { abortAfterMs, concurrency } = given;
    const outcomes: SetOutcome[] = [];
    if (abortAfterMs !== undefined) void this.#clock.sleep(abortAfterMs).then(() => this.#stop.abort());
    const ended = this.#collect(outcomes).then(
      () => "ended",
      (error: Error) => error,
    );
    const end = await Promise.race([ended, this.#death]);
    week.mostUncertain += end === "died" ? concurrency : Math.min(this.#unsaved, concurrency);
    if (end === "died") {
      await this.#store.close();
      if (given.leavesTornLine && existsSync(week.path))
        appendFileSync(week.path, '\t{"key":"a","value":{"ver');
      return [];
    }
    if (end !== "ended" && this.#unsaved === 0) week.found.add(`ended with ${end}`);
    week.check(outcomes, this.#unsaved === 0);
    this.#checkJobs();
    // A set that was to be ordered again, and was refused until the budget was used up, is left as it was.
    const isStruck = ({ key, status, reason }: SetOutcome) =>
      status === "uncertain" && reason === undefined && this.#sent.has(key);
    const struck = outcomes.filter(isStruck).length;
    // One that was to be ordered again keeps what it was, too, where a full disk does not take the refusal.
    const unsavedRefusals = given.again ? Math.min(this.#unsaved, concurrency) : 0;
    if (struck > (given.outage ? concurrency + 2 : unsavedRefusals))
      week.found.add(`${struck} sets uncertain by an outage`);
    return outcomes;
  }

  /** A paid job is in the file, or in the log. */
  #checkJobs(): void {
    const { path, found } = this.week;
    const stored = existsSync(path) ? readFileSync(path, "utf8") : "";
    for (const jobId of this.#accepted) {
      const isKnown = stored.includes(`"jobId":"${jobId}"`) || this.#logged.has(jobId);
      if (!isKnown) found.add("a job that neither the file nor the log names");
    }
  }

  async #collect(outcomes: SetOutcome[]): Promise<void> {
    const { week, given } = this;
    const { sets, maxCredits } = week;
    const store: FileStore = {
      load: (key) => this.#store.load(key),
      save: (key, next, previous) => this.#save(key, next, previous),
      list: () => this.#store.list(),
      otherJobs: () => this.#store.otherJobs(),
      open: () => this.#held(this.#store.open()),
      close: () => this.#held(this.#store.close()),
    };
    const ignore = () => {};
    const error: Logger["error"] = (_, fields) => this.#logged.add(Object(fields).jobId);
    const logger = { debug: ignore, info: ignore, warn: ignore, error };
    const batch = runBatch(week.clientOf(this.#fetch, { logger }), {
      sets: given.before === "reordered" ? Object.entries(sets).reverse() : sets,
      store,
      concurrency: given.concurrency,
      signal: this.#stop.signal,
      ...(given.again && { again: keys }),
      ...(maxCredits !== undefined && { maxCredits }),
    });
    for await (const outcome of batch) outcomes.push(outcome);
  }

  /** Time stands still meanwhile. */
  #held<Value>(work: Promise<Value>): Promise<Value> {
    this.#clock[holdClock](work);
    return work;
  }

  /** What happens when a save or a request begins. */
  async #begin(): Promise<void> {
    const { secondProcessAfter, diesAfter = Number.POSITIVE_INFINITY } = this.given;
    if (this.#isDead) await never;
    if (++this.#begun === secondProcessAfter) this.#trial = this.#held(this.#trySecondProcess());
    await this.#trial;
    if (this.#begun < diesAfter) return;
    this.#isDead = true;
    this.#die();
    await never;
  }

  async #save(key: string, next: unknown, previous: unknown): Promise<boolean> {
    await this.#begin();
    if (this.#begun > (this.given.diskIsFullAfter ?? Number.POSITIVE_INFINITY)) {
      this.#unsaved++;
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    }
    return this.#held(this.#store.save(key, next, previous));
  }

  readonly #fetch: typeof globalThis.fetch = async (address, init) => {
    if (this.#stop.signal.aborted) this.week.found.add("sent after an abort");
    await this.#begin();
    const isCreate = init?.method === "POST";
    if (isCreate) {
      this.#sent.add(JSON.parse(String(init.body)).narrativeId);
      await this.#clock.sleep(this.given.latencyMs);
    }
    return (await this.#meetOutage(init)) ?? (await this.#answer(address as string, init, isCreate));
  };

  /** How the outage is, during which a request arrives. */
  get #outage(): Outage["how"] | undefined {
    const { outage } = this.given;
    if (outage === undefined) return undefined;
    const passedMs = this.#clock.now() - this.#startedAt - outage.afterMs;
    return passedMs >= 0 && passedMs < outage.forMs ? outage.how : undefined;
  }

  async #meetOutage(init: RequestInit | undefined): Promise<Response | undefined> {
    switch (this.#outage) {
      case "503":
        return new Response("", { status: 503, headers: { "retry-after": "1" } });
      case "a web page":
        return new Response("<html>", { headers: { "content-type": "text/html" } });
      case "no connection":
        throw refused;
      case "silence":
        await this.#clock.sleep(31 * secondMs, init?.signal ?? undefined);
        throw reset;
      case "a lost request":
        throw reset;
      default:
        return undefined;
    }
  }

  async #answer(address: string, init: RequestInit | undefined, isCreate: boolean): Promise<Response> {
    const { cost } = this.given;
    if (isCreate && this.#refusals-- > 0) {
      return new Response("{}", { status: 429, headers: { "retry-after": "2" } });
    }
    const answer = await this.week.ask(address, init);
    if (isCreate && answer.ok) this.week.spent += cost;
    if (this.#outage === "a lost answer") throw reset;
    if (!isCreate || !answer.ok) return answer;
    const body = (await answer.json()) as { jobId: string; credits: object };
    this.#accepted.add(body.jobId);
    return Response.json({ ...body, credits: { ...body.credits, cost } }, { status: answer.status });
  }

  /** Another process that runs the same batch is refused before it sends anything. */
  async #trySecondProcess(): Promise<void> {
    const { week } = this;
    const fetch: typeof globalThis.fetch = (address, init) => {
      week.found.add("a second process sent something");
      return week.ask(address as string, init);
    };
    const { another } = week.world;
    const batch = another.runBatch(week.clientOf(fetch), {
      sets: week.sets,
      store: another.fileStore(week.path),
    });
    const error = await rejection(batch.next());
    if (!/in use by another process/.test(String(error))) week.found.add(`a second process: ${error}`);
  }
}
