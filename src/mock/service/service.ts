import { createApp, createScreenshots, getJob } from "../../generated/operations.js";
import { defaults, devices } from "../../generated/values.js";
import { parse, type Schema } from "../../schema/parse.js";
import { type Account, screenshotSetCost } from "./account.js";
import { completedValue } from "./completed-value.js";
import type { Guess, Guesses } from "./guesses.js";
import type { Lifecycle } from "./lifecycle.js";
import type { OperationName } from "./operation-name.js";
import type { Refusals, Reply } from "./refusals.js";
import type { Route } from "./routes.js";

/** An authenticated request. */
export interface Order {
  route: Route | undefined;
  /** The body, parsed if it is JSON. */
  body: unknown;
  account: Account;
  keyId: string;
  /** Whether the caller waits on a clock other than the mock's. */
  hasOwnClock: boolean;
  /** Whether the answer will not arrive. */
  isLost: boolean;
}

/** Applies a request to its account: one synchronous step, so that what it checks still holds when it acts. */
export type Service = (order: Order) => Reply;

/** The operations of the service (section 4 of its document). */
export function createService(guesses: Guesses, { refuse }: Refusals, baseUrl: string): Service {
  const services: Record<string, Service> = {
    [createApp.name]: serveCreateApp,
    [createScreenshots.name]: serveCreateScreenshots,
    [getJob.name]: serveGetJob,
  };

  function serveCreateApp({ body, account, keyId }: Order): Reply {
    const { name } = createApp;
    const { ok, refusal } = validate(name, createApp.body, body);
    if (!ok) return refusal;
    const credits = guesses.appCost;
    const appId = account.createApp(keyId);
    const reply = appId
      ? success(200, completedValue(createApp.answer(), appOf(appId)), credits)
      : refuseForCredits(name, credits);
    return credits > 0 ? withGuess("appCost", reply) : reply;
  }

  function serveCreateScreenshots({ body, account, keyId }: Order): Reply {
    const { name } = createScreenshots;
    const { ok, refusal, value } = validate(name, createScreenshots.body, body);
    if (!ok) return refusal;
    // The document requires these today. Should it not, no app has an empty id, a count left out is the default, and
    // the service has to choose a device.
    const appId = value.appId ?? "";
    const count = value.count ?? defaults.createScreenshots.count;
    const device = String(value.device ?? (devices as readonly string[])[0]);
    if (!account.hasApp(appId)) return refuse("notFound", name, "The account has no such app.");
    // How many slides a narrative has is not documented.
    const slideCount = value.narrativeId === undefined ? count : defaults.createScreenshots.count;
    const accepted = account.accept({ appId, device, count: slideCount, keyId });
    if (!accepted) return refuseForCredits(name, screenshotSetCost);
    const { jobId, remaining } = accepted;
    const acceptance = { jobId, credits: { cost: screenshotSetCost, remaining } };
    const reply = success(201, completedValue(createScreenshots.answer(), acceptance), screenshotSetCost);
    return account.hasRefunds() ? withGuess("refundFailedJobs", reply) : reply;
  }

  function serveGetJob({ route, account, hasOwnClock, isLost }: Order): Reply {
    const jobId = route?.parameters[getJob.pathParameters[0]] ?? "";
    const found = account.look(jobId, { isPoll: !isLost });
    if (!found) return refuse("notFound", getJob.name, "The account has no such job.");
    const { job, record } = found;
    const reply = success(200, job);
    if (job.status === "succeeded" && !record.slides) return withGuess("slide", reply);
    if (job.status === "failed" && guesses.refundFailedJobs) return withGuess("refundFailedJobs", reply);
    // Who waits on a real clock need not: such a job moves on with each poll, and not with time.
    const isAwaited = job.status !== "succeeded" && job.status !== "failed";
    const isHurried = hasOwnClock && isAwaited && runsOnPolls(record);
    return isHurried ? { ...reply, headers: { "retry-after": "0" } } : reply;
  }

  function appOf(appId: string) {
    return {
      appId,
      name: `Mock ${appId}`,
      category: "Utilities",
      artworkUrl: `${baseUrl}/artwork/${appId}.png`,
    };
  }

  function refuseForCredits(operation: OperationName, cost: number): Reply {
    return refuse(
      "insufficientCredits",
      operation,
      `The account has less than the ${cost} credits that this costs.`,
    );
  }

  /** Checks a body against the OpenAPI document. */
  function validate<Body>(operation: OperationName, schema: Schema<Body>, body: unknown) {
    const parsed = parse(schema, body);
    if (parsed.ok) return { ok: true, value: parsed.value, refusal: undefined } as const;
    const issues = parsed.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
    return {
      ok: false,
      refusal: refuse("invalidRequest", operation, issues.join("; ")),
      value: undefined,
    } as const;
  }

  return (order) => {
    const operation = order.route?.operation;
    const serve = operation && services[operation.name];
    return serve ? serve(order) : refuse("notFound", operation?.name, "There is nothing at this path.");
  };
}

function success(status: number, body: unknown, credits = 0): Reply {
  return { status, body, credits, guesses: [] };
}

function withGuess(guess: Guess, reply: Reply): Reply {
  return { ...reply, guesses: [...reply.guesses, guess] };
}

function runsOnPolls({ lifecycle }: { lifecycle: Lifecycle }): boolean {
  return typeof lifecycle === "object" && lifecycle.unit === "polls";
}
