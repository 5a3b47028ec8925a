import {
  documentedError,
  documentedStatuses,
  isGuessed,
  type RefusalReason,
  refusalReasons,
} from "../refusal-reasons.js";
import type { Recorded } from "./recorded.js";
import type { OperationName } from "./routes.js";
import { allSources, documented, type Sources } from "./sources.js";
import type { ErrorContext, Undocumented } from "./undocumented.js";

/** What an answer holds: a `body` of JSON, or a text. */
export interface Content {
  body?: unknown;
  text?: string | undefined;
  mediaType?: string | undefined;
}

/** How requests are refused: as configured, else as recorded, else as documented; the mock makes up the rest. */
export class Refusals {
  constructor(
    private readonly configured: Pick<Undocumented, "status" | "errorBody">,
    private readonly recorded: NonNullable<Recorded["refusals"]>,
  ) {}

  refusal(
    reason: RefusalReason,
    operation: OperationName | undefined,
    message: string,
  ): { status: number } & Content & Sources {
    const { status, ...statusSources } = this.#statusOf(reason, operation);
    const { code } = refusalReasons[reason];
    const { guesses, recorded, ...content } =
      this.#recordedBody(reason, operation) ?? this.error({ status, code, message, operation });
    return { ...content, status, ...allSources(statusSources, { guesses, recorded }) };
  }

  /** The body of an error that was not recorded. */
  error(context: ErrorContext): Content & Sources {
    const { errorBody } = this.configured;
    const { mediaType = "", body } = documentedError(context.status, context.operation) ?? {};
    if (!body || errorBody) {
      const { code, message } = context;
      const made = errorBody ? errorBody(context) : { error: { code, message } };
      return { body: made, guesses: ["errorBody"], recorded: [] };
    }
    const told = body(context);
    const content = /json/i.test(mediaType) ? { body: told } : { text: String(told) };
    return { ...content, mediaType, ...documented() };
  }

  /** The status of a refusal, and where it comes from. What is configured counts as a guess; a 401 is documented. */
  #statusOf(reason: RefusalReason, operation: OperationName | undefined): { status: number } & Sources {
    const isOpen = isGuessed(reason);
    const parts = isOpen ? [`status.${reason}` as const] : [];
    const own = isOpen ? this.configured.status?.[reason] : undefined;
    if (own !== undefined) return { status: own, guesses: parts, recorded: [] };
    const seen = this.#recordedRefusal(reason, operation);
    if (seen) return { status: seen.status, guesses: [], recorded: parts };
    const [listed] = documentedStatuses(reason, operation);
    if (listed !== undefined) return { status: listed, ...documented() };
    return { status: refusalReasons[reason].statuses[0], guesses: parts, recorded: [] };
  }

  #recordedBody(
    reason: RefusalReason,
    operation: OperationName | undefined,
  ): (Content & Sources) | undefined {
    const seen = this.#recordedRefusal(reason, operation);
    if (!seen || this.configured.errorBody) return undefined;
    const { status, ...content } = seen;
    return { ...content, guesses: [], recorded: ["errorBody"] };
  }

  #recordedRefusal(reason: RefusalReason, operation: OperationName | undefined) {
    return operation && this.recorded[operation]?.[reason];
  }
}
