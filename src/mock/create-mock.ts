import { grantAccess } from "./carriers/adapter-access.js";
import { createAsk, createMockFetch } from "./carriers/mock-fetch.js";
import { createToCall } from "./carriers/to-call.js";
import { checkBaseUrl, checkClock, checkCredits, checkLifecycle } from "./checks.js";
import { createMockClock } from "./clock/mock-clock.js";
import { createDesk } from "./engine/desk.js";
import { createEngine } from "./engine/engine.js";
import { createFaults } from "./engine/faults.js";
import { createJournal } from "./engine/journal.js";
import { type Account, createAccount } from "./service/account.js";
import { createGuesses } from "./service/guesses.js";
import { createKeyRegistry } from "./service/keys.js";
import { createRefusals } from "./service/refusals.js";
import { createService } from "./service/service.js";
import type { AccountOptions, Mock, MockAccount, MockOptions } from "./types.js";

/**
 * The whole service in memory: stateful, on a clock of its own, without a network. What the service does not document
 * is guessed, and the journal says where.
 *
 * @throws TypeError or RangeError when an option is not what it should be
 */
export function createMock(options: MockOptions = {}): Mock {
  const baseUrl = checkBaseUrl(options.baseUrl ?? "https://api.screenshot-sets.test/api/v1");
  const clockControl = createMockClock(checkClock(options.clock ?? "virtual"));
  const { clock } = clockControl;
  const guesses = createGuesses(options.undocumented, options.strict);
  const registry = createKeyRegistry<Account>();
  const [faults, journal, refusals] = [createFaults(), createJournal(), createRefusals(guesses)];
  const service = createService(guesses, refusals, baseUrl);
  const desk = createDesk({ registry, faults, refusals, service });
  const engine = createEngine(desk, journal, guesses, clockControl);
  const ask = createAsk(engine, createToCall(baseUrl), clockControl);
  const fetch = createMockFetch(ask);

  function openAccount(number: number, own: AccountOptions): Account {
    const allowance = checkCredits("allowance", own.allowance ?? options.allowance ?? 100);
    const lifecycle = checkLifecycle(
      own.lifecycle ?? options.lifecycle ?? { queued: 1, running: 1, unit: "polls" },
    );
    const settings = { number, apiKey: own.apiKey, allowance, lifecycle };
    return createAccount(settings, { now: clock.now, guesses, registry });
  }

  function publicPart({ apiKey, credits, keys, jobs, nextJob }: Account): MockAccount {
    return { clientOptions: { apiKey, baseUrl, fetch, clock }, credits, keys, jobs, nextJob };
  }

  const first = openAccount(1, options);
  let accounts = 1;

  const mock: Mock = {
    ...publicPart(first),
    clock,
    handle: (request) => fetch(request),
    fetch,
    // Loaded only when it is used, as it brings `node:http` with it.
    listen: async (own) => (await import("./carriers/listen.js")).listen(engine, own),
    account: (own = {}) => publicPart(openAccount(++accounts, own)),
    fault: faults.add,
    requests: journal.list,
    reset() {
      clockControl.reset();
      for (const part of [faults, journal, registry]) part.clear();
      first.reset();
      accounts = 1;
    },
  };
  return grantAccess(mock, { ask, engine });
}
