import {
  type AcceptedJob,
  type ClientOptions,
  type InvalidRequestError,
  isTerminal,
  type Job,
  ScreenshotSets,
} from "../index.js";
import { UsageError } from "./command.js";
import { printableLine } from "./output.js";
import { Progress } from "./progress.js";

/** Options of every command that talks to the service. */
export const sessionOptions = {
  json: { type: "boolean" },
  out: { type: "string" },
  verbose: { type: "boolean" },
} as const;

/** Those of the commands that also wait for a job. */
export const waitOptions = { ...sessionOptions, timeout: { type: "string" } } as const;

/** How `--help` explains them. */
export const sessionHelp = `  --json               print the result as JSON
  --out FILE           write the result to a file, all of it or nothing
  --verbose            show each attempt, and where an error comes from
  --help, -h           show this help
  --version            show the version

The key and the address come from SCREENSHOT_SETS_API_KEY and SCREENSHOT_SETS_BASE_URL.`;

/** The options of a wait, for `--help`. */
export const waitHelp = `  --timeout SECONDS    how long to wait for the job (default 600); the job continues after that
${sessionHelp}`;

/** An app as the service answered it: a later document may give it no name, or one that is not a string. */
export interface CreatedApp {
  appId?: unknown;
  name?: unknown;
}

/** The result of a command, for programs and for people. */
export interface Result {
  value: unknown;
  text: string;
}

/** The result has arrived, but could not be written. */
export class DeliveryError extends Error {}

/** A client, and all that a command learns while it talks to the service, so that a failure can report it. */
export class Session {
  readonly client: ScreenshotSets;
  readonly progress: Progress;
  /** The app that this command created. */
  app?: CreatedApp;
  /** The set that this command paid for. */
  accepted?: AcceptedJob;
  /** The job that this command waits for. */
  waitsFor?: string;
  /** Whether the result has arrived and only needs to be written. */
  hasResult = false;
  /** The create that was aborted in flight, so that nobody knows whether it was charged. */
  abortedOperation?: string;
  #polls = 0;

  /**
   * @param signal aborts when the command is interrupted
   * @throws {ConfigurationError} when the environment holds no usable key or address
   */
  constructor(
    readonly signal: AbortSignal,
    readonly isMock: boolean,
    options: ClientOptions,
    verbose = false,
  ) {
    this.progress = new Progress(options.clock?.now ?? (() => performance.now()), () => this.#polls);
    const log = (message: string, fields: Record<string, unknown> = {}) => {
      if (verbose) this.progress.say(logLine(message, fields));
    };
    this.client = new ScreenshotSets({
      ...options,
      // Requests are counted here and not in a `fetch`: the client's own sends a create once where Node's resends it.
      logger: {
        debug: (message, fields) => {
          if (fields?.method === "GET") this.#polls++;
          log(message, fields);
        },
        info: log,
        warn: (message, fields) => {
          if (fields?.status === "aborted") this.abortedOperation = String(fields.operation);
          log(message, fields);
        },
        error: log,
      },
    });
  }

  /** Reports every change of a job's status. */
  readonly onUpdate = (job: Job): void => {
    if (isTerminal(job)) this.progress.end(`Job ${job.id} has ${job.status}`);
    else this.progress.change(`Job ${job.id} is ${(job as Job).status}`);
  };
}

function logLine(message: string, fields: Record<string, unknown>): string {
  const pairs = Object.entries(fields).map(([name, value]) => {
    const shown = value instanceof Error ? value.message : value;
    return `${name}=${typeof shown === "string" ? shown : JSON.stringify(shown)}`;
  });
  return [message, ...pairs].join(" ");
}

/** How the fields of the requests are typed. */
export const typedAs: Record<string, string> = {
  iosUrl: "--ios-url",
  androidUrl: "--android-url",
  extraContext: "--context",
  appId: "--app-id",
  device: "--device",
  count: "--count",
  captionStyle: "--caption-style",
  captionLength: "--caption-length",
  narrativeId: "--narrative",
  id: "JOB_ID",
};

/** The client's reasons to refuse a request, in the words of the command line. */
export function refusedIssues(issues: InvalidRequestError["issues"]): UsageError {
  const words = issues.map(({ path, message }) => (path ? `${typedAs[path] ?? path}: ${message}` : message));
  return new UsageError(`${printableLine(words.join("; "))}.`);
}
