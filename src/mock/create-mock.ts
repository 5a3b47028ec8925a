import type { AccountOptions } from "./account-options.js";
import { mockFetch } from "./carriers/mock-fetch.js";
import {
  checkBaseUrl,
  checkClock,
  checkFlag,
  checkIdPrefix,
  checkInteger,
  checkLifecycle,
  checkOptions,
} from "./checks.js";
import { ControlledClock } from "./clock/mock-clock.js";
import { Engine } from "./engine/engine.js";
import { Account } from "./service/account.js";
import { Guesses } from "./service/guesses.js";
import { checkedRecorded } from "./service/recorded.js";
import type { Mock, MockAccount, MockOptions } from "./types.js";

const accountOptions = { apiKey: 0, allowance: 0, lifecycle: 0 } satisfies Record<keyof AccountOptions, 0>;

const mockOptions = {
  ...accountOptions,
  ...{ baseUrl: 0, clock: 0, idPrefix: 0, undocumented: 0, recorded: 0, strict: 0 },
} satisfies Record<keyof MockOptions, 0>;

/** Enough for some sets, whatever a recorded one costs. */
const usualAllowance = ({ setCost }: Guesses): number => (setCost > 100 ? Math.ceil(10 * setCost) : 100);

/**
 * Creates the whole service in memory: stateful, with its own clock, without a network. The mock fills in what the
 * service's document leaves open, and the journal names what is filled in in each answer.
 *
 * @throws TypeError or RangeError if an option is invalid
 */
export function createMock(options: MockOptions = {}): Mock {
  checkOptions("`createMock`", options, mockOptions);
  const baseUrl = checkBaseUrl(options.baseUrl ?? "https://api.screenshot-sets.test/api/v1");
  const clock = new ControlledClock(checkClock(options.clock ?? "virtual"));
  const recorded = checkedRecorded(options.recorded);
  const guesses = new Guesses(options.undocumented, recorded, checkFlag("strict", options.strict ?? false));
  const idPrefix = checkIdPrefix(options.idPrefix ?? "");
  const engine = new Engine(clock, guesses, baseUrl);
  const { faults, journal, registry } = engine;
  const answer = mockFetch(engine, baseUrl);
  const fetch: typeof globalThis.fetch = (input, init) => answer(input, init);

  const accounts: Account[] = [];
  let turns = 0;
  let epoch = 0;

  function openAccount(own: AccountOptions): Account {
    const allowance = checkInteger(
      "allowance",
      own.allowance ?? options.allowance ?? usualAllowance(guesses),
    );
    const usual = recorded.set?.states ? "recorded" : ({ queued: 1, running: 1, unit: "polls" } as const);
    const lifecycle = checkLifecycle(own.lifecycle ?? options.lifecycle ?? usual);
    const number = accounts.length + 1;
    const { apiKey } = own;
    const { now } = clock;
    const takeTurn = () => ++turns;
    const shared = { idPrefix, now, takeTurn, guesses, registry };
    const account = new Account({ number, apiKey, allowance, lifecycle, ...shared });
    accounts.push(account);
    return account;
  }

  function publicPart({ apiKey, credits, keys, jobs, nextJob }: Account): MockAccount {
    return { clientOptions: { apiKey, baseUrl, fetch, clock }, credits, keys, jobs, nextJob };
  }

  /** The account that `mock.account` gave, or the first one for the mock itself. */
  function accountOf(given: MockAccount | undefined): Account | undefined {
    if (given === undefined) return undefined;
    const account = accounts.find(({ credits }) => credits === given?.credits);
    if (account) return account;
    throw new TypeError("Expected `account` to be one that `mock.account` gave since the last reset");
  }

  const first = openAccount(options);

  function reset(): void {
    for (const part of [clock, faults, journal, registry, first]) part.reset();
    accounts.length = 1;
    epoch++;
  }

  function resetAccount(account: Account): void {
    for (const part of [faults, journal]) part.forget(account);
    account.reset();
    epoch++;
  }

  return {
    ...publicPart(first),
    clock,
    handle: (request, own) => answer(request, undefined, own),
    fetch,
    // Loaded only when used.
    listen: async (own) =>
      (await import("./carriers/listen.js")).listen(
        { engine, accounts, openAccount, reset, resetAccount, epoch: () => epoch },
        own,
      ),
    account(own = {}) {
      checkOptions("`mock.account`", own, accountOptions);
      return publicPart(openAccount(own));
    },
    fault: (fault, own) => void faults.add(fault, own, accountOf(own?.account)),
    requests(filter = {}) {
      checkOptions("`mock.requests`", filter, { operation: 0, account: 0 });
      return journal.list(filter.operation, accountOf(filter.account));
    },
    reset,
  };
}
