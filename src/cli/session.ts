import { type AcceptedJob, type ClientOptions, type Job, ScreenshotSets } from "../index.js";
import { endOf } from "../job-end.js";
import { LiveLines } from "./live-lines.js";
import type { Destination } from "./out-file.js";
import { Progress } from "./progress.js";

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

/** An app as the service returned it. In a later document it may have no name, or one that is not a string. */
export interface CreatedApp {
  appId?: unknown;
  name?: unknown;
}

/** A client, and everything that a command learns while using it, so that a failure can be reported in full. */
export class Session {
  readonly client: ScreenshotSets;
  readonly live = new LiveLines();
  readonly progress: Progress;
  /** The app that this command created. */
  app?: CreatedApp;
  /** The set that this command paid for. */
  accepted?: AcceptedJob;
  /** The job that this command waits for. */
  waitsFor?: string;
  /** Whether the result has arrived and only needs to be written. */
  hasResult = false;
  /** The create that was aborted in flight. It is unknown whether it was charged. */
  abortedOperation?: string;

  /**
   * @param signal aborts when the command is interrupted
   * @param out where the result goes
   * @throws {ConfigurationError} when the environment holds no usable key or address
   */
  constructor(
    readonly signal: AbortSignal,
    options: ClientOptions,
    readonly out: Destination,
    verbose = false,
  ) {
    let polls = 0;
    const now = options.clock?.now ?? (() => performance.now());
    this.progress = new Progress(this.live, now, () => polls);
    const say = (message: string, fields: Record<string, unknown> = {}) =>
      this.live.say(logLine(message, fields));
    const detail = verbose ? say : () => {};
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
      onResponse({ operation }) {
        if (operation === "getJob") polls++;
      },
    });
  }

  /** Reports every change of a job's status. */
  readonly onUpdate = (job: Job): void => {
    const { id, status } = job;
    const end = endOf(job);
    if (end) this.progress.end(`Job ${id} has ${end}`);
    else this.progress.change(`Job ${id} is ${status}`);
  };
}

function logLine(message: string, fields: Record<string, unknown>): string {
  const pairs = Object.entries(fields).map(([name, value]) => {
    const shown = value instanceof Error ? value.message : value;
    return `${name}=${typeof shown === "string" ? shown : JSON.stringify(shown)}`;
  });
  return [message, ...pairs].join(" ");
}
