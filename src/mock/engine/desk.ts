import type { Account } from "../service/account.js";
import { type KeyRegistry, maskKey } from "../service/keys.js";
import type { Refusals, Reply } from "../service/refusals.js";
import { createRoutes } from "../service/routes.js";
import type { Service } from "../service/service.js";
import type { Call } from "./call.js";
import type { Faults } from "./faults.js";
import type { JournalEntry } from "./journal.js";
import { type Encounter, meetFault } from "./meet-fault.js";
import { type Outcome, whole } from "./outcome.js";
import { acceptedHeaders, presentedKey } from "./presented-key.js";

/**
 * Receives a call: checks its key, lets it meet a fault, passes it to the service, and notes in `entry` who it was
 * from and what it cost. Decides at once, save where a fault makes it wait.
 */
export type Desk = (call: Call, entry: JournalEntry, waiting: Waiting) => Outcome | Promise<Outcome>;

/** The ways to wait, which are no work. */
type Waiting = Pick<Encounter, "sleep" | "untilAborted">;

interface Parts {
  registry: KeyRegistry<Account>;
  faults: Faults;
  refusals: Refusals;
  service: Service;
}

export function createDesk({ registry, faults, refusals, service }: Parts): Desk {
  const findRoute = createRoutes();

  /** The one error that the service documents (section 5), but for the format of its body. */
  function unauthorized(key: string | undefined, operation: JournalEntry["operation"]): Outcome {
    const message =
      key === undefined
        ? `The API key is missing. Please send it as ${acceptedHeaders}.`
        : "The API key is invalid or was revoked.";
    return {
      ...whole(refusals.error({ status: 401, code: "unauthorized", message, operation })),
      isExempt: true,
    };
  }

  /** The one thing that needs no key; loaded only when it is asked for. */
  async function published(): Promise<Outcome> {
    const { documentText } = await import("../service/published-document.js");
    const headers = { "content-type": "application/json" };
    return { answer: { kind: "whole", status: 200, headers, body: documentText }, guesses: [] };
  }

  /** Notes what was asked, without any key. */
  function note(entry: JournalEntry, { path, text }: Call, body: unknown, key: string | undefined): void {
    entry.key = key === undefined ? undefined : maskKey(key);
    entry.path = registry.masked(path, key);
    const shown = registry.masked(text, key);
    entry.body = shown === text ? body : parseBody(shown);
  }

  return (call, entry, waiting) => {
    const route = findRoute(call.method, call.path);
    const operation = route?.operation.name;
    const body = parseBody(call.text);
    const key = presentedKey(call.header);
    const holder = key === undefined ? undefined : registry.find(key);
    note(entry, call, body, key);
    entry.operation = operation;
    entry.keyId = holder?.keyId;
    if (isDocument(call)) return published();
    if (!holder) return unauthorized(key, operation);

    const { owner: account, keyId } = holder;
    function apply({ isLost }: { isLost: boolean }): Reply {
      const reply = service({ route, body, account, keyId, hasOwnClock: call.hasOwnClock, isLost });
      entry.credits = reply.credits;
      return reply;
    }
    const met = faults.take(operation);
    return met ? meetFault(met, { ...waiting, operation, apply }, refusals) : whole(apply({ isLost: false }));
  };
}

/** Section 4.4 of the service's document. */
function isDocument({ method, path }: Call): boolean {
  return path === "/public/openapi.json" && (method === "GET" || method === "HEAD");
}

/** What a body holds; one that is no JSON is a string, which no operation takes. */
function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
