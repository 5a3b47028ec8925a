import { type AcceptedJob, type ClientOptions, type Job, ScreenshotSets } from "../index.js";
import { endOf } from "../job-end.js";
import { duration, plural } from "../text/figures.js";
import { printableWord } from "../text/printable.js";
import { LiveLines } from "./live-lines.js";
import type { Destination } from "./out-file.js";
import { type CreatedApp, chargeText, nameOf } from "./result.js";

/** The flags of every command that talks to the service. */
export interface SessionFlags {
  json?: boolean;
  out?: string | undefined;
  verbose?: boolean;
  "dangerously-allow-http"?: boolean;
  "env-file"?: string;
  /** Only `create` has it. */
  mock?: boolean;
}

/** A client, and everything that a command learns while using it, so that a failure can be reported in full. */
export class Session {
  readonly client: ScreenshotSets;
  readonly live = new LiveLines();
  /** The app that this command created. */
  app?: CreatedApp;
  /** The set that this command paid for. */
  accepted?: AcceptedJob;
  /** Whether this command has paid for anything, or may have. */
  isCharged = false;
  /** The job whose result the command leaves to another one, which is printed at the end. */
  leftJob?: string;
  /** The job that this command waits for. */
  waitsFor?: string;
  /** Whether the result has arrived and only needs to be written. */
  hasResult = false;
  /** The create that was aborted in flight. It is unknown whether it was charged. */
  abortedOperation?: string;
  readonly #now: () => number;
  /** What the command is doing, and since when. */
  #state = "";
  #beganAt = 0;
  /** How many polls have been answered. */
  #polls = 0;

  /**
   * @param signal aborts when the command is interrupted
   * @param out where the result goes
   * @throws {ConfigurationError} when the environment holds no usable key or address
   */
  constructor(
    readonly signal: AbortSignal,
    options: ClientOptions,
    readonly out: Destination,
    readonly flags: SessionFlags,
  ) {
    this.#now = options.clock?.now ?? (() => performance.now());
    const say = (message: string, fields: Record<string, unknown> = {}) =>
      this.live.say(logLine(message, fields));
    const detail = flags.verbose ? say : () => {};
    const warn: typeof say = (message, fields) => {
      if (fields?.status !== "aborted") return say(message, fields);
      // An abort rejects with its own reason, so the log alone tells of the create that it ended; the command says so.
      this.abortedOperation = String(fields.operation);
      // A part of the answer may have arrived, with the id of the job.
      if (typeof fields.jobId === "string") this.waitsFor = fields.jobId;
      detail(message, fields);
    };
    this.client = new ScreenshotSets({
      ...options,
      logger: { debug: detail, info: detail, warn, error: say },
      onResponse: ({ operation }) => {
        if (operation === "getJob") this.#polls++;
      },
    });
  }

  /** Whether it has paid for anything that is worth credits, or may have. */
  get isPaid(): boolean {
    return this.isCharged && !this.flags.mock;
  }

  /** This command has created an app. */
  created(app: CreatedApp): void {
    this.app = app;
    this.sayCreated(app);
  }

  /** Tells of one of several apps, which a failure does not name. */
  sayCreated(app: CreatedApp): void {
    this.live.say(`App ${printableWord(String(app.appId))} was created: ${nameOf(app)}`);
  }

  /** This command has paid for a set, and waits for it. */
  paid(accepted: AcceptedJob): void {
    const { jobId, credits } = accepted;
    this.accepted = accepted;
    this.isCharged = true;
    this.live.say(`Job ${printableWord(jobId)} was accepted: ${chargeText(credits)}`);
    this.begin(`Job ${printableWord(jobId)} is accepted`);
  }

  /** Begins a state that is timed from now. Only a terminal shows it. */
  begin(state: string): void {
    this.#state = state;
    this.#beganAt = this.#now();
    this.live.show(() => [this.#line()]);
  }

  /** Reports every change of a job's status: in the line of a terminal until the job ends, elsewhere in lines that stay. */
  readonly onUpdate = (job: Job): void => {
    const end = endOf(job);
    this.#state = `Job ${printableWord(job.id)} ${end ? `has ${end}` : `is ${job.status}`}`;
    if (end) this.live.show(() => []);
    if (end || !this.live.isLive) this.live.say(this.#line());
    else this.live.refresh();
  };

  #line(): string {
    const polls = this.#polls > 0 ? `, ${plural(this.#polls, "poll")}` : "";
    return `${this.#state} (${duration(this.#now() - this.#beganAt)}${polls})`;
  }
}

function logLine(message: string, fields: Record<string, unknown>): string {
  const pairs = Object.entries(fields).map(([name, value]) => {
    const shown = value instanceof Error ? value.message : value;
    return `${name}=${typeof shown === "string" ? shown : JSON.stringify(shown)}`;
  });
  return [message, ...pairs].join(" ");
}
