import { createApp, createScreenshots, getJob } from "../../generated/operations.js";
import { defaultCount, devices } from "../../generated/values.js";
import { issueText, parse, type Schema } from "../../schema/parse.js";
import { appName } from "../app-name.js";
import type { RefusalReason } from "../refusal-reasons.js";
import type { Account } from "./account.js";
import { completedAnswer } from "./completed-answer.js";
import type { Guesses } from "./guesses.js";
import { isInPolls } from "./job-progress.js";
import { jsonReply, mockReply, type Reply, refusalReply } from "./reply.js";
import type { OperationName, Route } from "./routes.js";
import { notPlayed } from "./sources.js";

/** An authenticated request. */
export interface AccountRequest {
  route: Route | undefined;
  /** Parsed if it is JSON. */
  body: unknown;
  account: Account;
  keyId: string;
  /** A header of the request. */
  header(name: string): string | null | undefined;
  /** Whether the caller waits on a clock other than the mock's. */
  hasOwnClock: boolean;
  /** Whether the answer will not arrive, or not intact. */
  isLost: boolean;
}

/** The operations of the service. */
export class Service {
  readonly #operations: Record<string, (request: AccountRequest) => Reply> = {
    [createApp.name]: (request) => this.#createApp(request),
    [createScreenshots.name]: (request) => this.#createScreenshots(request),
    [getJob.name]: (request) => this.#getJob(request),
  };

  constructor(
    private readonly guesses: Guesses,
    private readonly baseUrl: string,
  ) {}

  /** Applies a request to its account in one synchronous step, so that its checks still hold when it acts. */
  apply(request: AccountRequest): Reply {
    const name = request.route?.operation.name;
    if (!name) return this.#refuse("notFound", name, "There is nothing at this path.");
    const operation = this.#operations[name];
    if (!operation) return { ...mockReply(501, "not_played", notPlayed(name)), guesses: ["not_played"] };
    const header: string | undefined = request.route?.operation.idempotencyHeader;
    return header === undefined ? operation(request) : this.#applyOnce(header, operation, request);
  }

  /** Repeats the answer to a request with an idempotency key that the service has already taken, at no further cost. */
  #applyOnce(header: string, operation: (request: AccountRequest) => Reply, request: AccountRequest): Reply {
    const name = request.route?.operation.name;
    const key = request.header(header);
    if (!key) {
      if (!request.route?.operation.isKeyRequired) return operation(request);
      return this.#refuse("invalidRequest", name, `The header ${header} is missing.`);
    }
    const earlier = request.account.idempotentReplies.get(`${name} ${key}`);
    if (earlier) return { ...earlier, credits: 0 };
    const reply = operation(request);
    if (reply.status < 300) request.account.idempotentReplies.set(`${name} ${key}`, reply);
    return reply;
  }

  #createApp({ body, account, keyId }: AccountRequest): Reply {
    const { name } = createApp;
    const { refusal } = this.#parseBody(name, createApp.body, body);
    if (refusal) return refusal;
    const credits = this.guesses.appCost;
    const appId = account.createApp(keyId);
    const reply = appId
      ? { ...jsonReply(200, completedAnswer(name, this.#app(appId))), credits }
      : this.#refuseForCredits(name, credits);
    return credits > 0 ? { ...reply, guesses: [...reply.guesses, "appCost"] } : reply;
  }

  #createScreenshots({ body, account, keyId }: AccountRequest): Reply {
    const { name } = createScreenshots;
    const { refusal, value } = this.#parseBody(name, createScreenshots.body, body);
    if (refusal) return refusal;
    // The document requires these fields today. If it stops doing so: no app has an empty id, a missing count is the
    // default, and a missing device is the first one.
    const {
      appId = "",
      count = defaultCount,
      device = (devices as readonly string[])[0],
      narrativeId,
    } = value;
    if (!account.apps.has(appId)) return this.#refuse("notFound", name, "The account has no such app.");
    // The number of slides of a narrative is not documented.
    const slideCount = narrativeId === undefined ? count : defaultCount;
    const accepted = account.accept({ appId, device: String(device), count: slideCount, keyId });
    const { setCost: cost, set } = this.guesses;
    if (!accepted) return this.#refuseForCredits(name, cost);
    const { jobId, remaining } = accepted;
    const acceptance = { jobId, credits: { cost, remaining } };
    return {
      ...jsonReply(201, completedAnswer(name, acceptance)),
      credits: cost,
      guesses: account.credits.hasRefunds() ? ["refundFailedJobs"] : [],
      recorded: set.cost === undefined ? [] : ["setCost"],
    };
  }

  #getJob({ route, account, hasOwnClock, isLost }: AccountRequest): Reply {
    const jobId = String(route?.parameters[getJob.pathParameters[0]]);
    const found = account.jobs.read(jobId, { isPoll: !isLost });
    if (!found) return this.#refuse("notFound", getJob.name, "The account has no such job.");
    const { job, record } = found;
    const isOpen = account.jobs.stateOf(record).outcome === undefined;
    // Callers with a real clock need no delay: the job proceeds with each poll, not with time.
    const needsNoDelay = isOpen && hasOwnClock && isInPolls(record.lifecycle);
    const reply = jsonReply(200, job, needsNoDelay ? { "retry-after": "0" } : {});
    return { ...reply, ...account.jobs.sourcesOf(record) };
  }

  #app(appId: string) {
    const artworkUrl = `${this.baseUrl}/artwork/${appId}.png`;
    return { appId, name: appName(appId), category: "Utilities", artworkUrl };
  }

  #refuse(reason: RefusalReason, operation: OperationName | undefined, message: string): Reply {
    return refusalReply(this.guesses, reason, operation, message);
  }

  #refuseForCredits(operation: OperationName, cost: number): Reply {
    const message = `The account has less than the ${cost} credits that this costs.`;
    return this.#refuse("insufficientCredits", operation, message);
  }

  /** Parses a body by the OpenAPI document, and refuses one that the document does not allow. */
  #parseBody<Body>(operation: OperationName, schema: Schema<Body>, body: unknown) {
    const parsed = parse(schema, body);
    if (parsed.ok) return { value: parsed.value, refusal: undefined };
    const message = parsed.issues.map(issueText).join("; ");
    return { value: undefined, refusal: this.#refuse("invalidRequest", operation, message) };
  }
}
