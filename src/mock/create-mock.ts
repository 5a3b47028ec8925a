import { operationNames } from "../generated/values.js";
import { oneOf, optional, type Table } from "../options/read-options.js";
import { mockFetch } from "./carriers/mock-fetch.js";
import { ControlledClock } from "./clock/mock-clock.js";
import { Engine } from "./engine/engine.js";
import type { Lifecycle } from "./lifecycle.js";
import { type AccountOptions, accountTable, type MockOptions, mockTable } from "./mock-options.js";
import { readMockOptions, unchecked } from "./read-mock-options.js";
import { Account } from "./service/account.js";
import { Guesses } from "./service/guesses.js";
import type { Mock, MockAccount, RequestsFilter } from "./types.js";

/** Enough for a set, and for ten at the usual price. */
const usualAllowance = ({ setCost }: Guesses): number => (setCost > 100 ? Math.ceil(10 * setCost) : 100);

const usualLifecycle = ({ set }: Guesses): Lifecycle =>
  set.states ? "recorded" : { queued: 1, running: 1, unit: "polls" };

const filterTable = {
  operation: optional(oneOf(operationNames)),
  account: unchecked<MockAccount>(),
} satisfies Table<RequestsFilter>;

/**
 * Creates the whole service in memory: stateful, with its own clock, without a network. The mock fills in what the
 * service's document leaves open, and the journal names that for each answer.
 *
 * @throws TypeError or RangeError if an option is invalid
 */
export function createMock(options: MockOptions = {}): Mock {
  return openMock(options, undefined);
}

/**
 * `createMock` for the command line.
 *
 * @param drawIdPrefix called for each account, and again at each of its resets, in place of the option `idPrefix`
 */
export function openMock(options: MockOptions, drawIdPrefix: (() => string) | undefined): Mock {
  const {
    baseUrl,
    clock: kind,
    undocumented,
    recorded,
    strict,
    idPrefix,
    ...usual
  } = readMockOptions("createMock", options, mockTable);
  const clock = new ControlledClock(kind);
  const guesses = new Guesses(undocumented, recorded, strict);
  const engine = new Engine(clock, guesses, baseUrl);
  const { faults, journal, registry } = engine;
  const answer = mockFetch(engine, baseUrl);
  const fetch: typeof globalThis.fetch = (input, init) => answer(input, init);

  const accounts: Account[] = [];
  let sequence = 0;
  let epoch = 0;

  function openAccount({ apiKey, allowance, lifecycle }: AccountOptions): Account {
    const number = accounts.length + 1;
    const { now } = clock;
    const nextSequence = () => ++sequence;
    const account = new Account({
      number,
      apiKey,
      drawIdPrefix: drawIdPrefix ?? (() => idPrefix),
      now,
      nextSequence,
      guesses,
      registry,
      allowance: allowance ?? usual.allowance ?? usualAllowance(guesses),
      lifecycle: lifecycle ?? usual.lifecycle ?? usualLifecycle(guesses),
    });
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

  const first = openAccount(usual);

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
      return publicPart(openAccount(readMockOptions("mock.account", own, accountTable)));
    },
    fault: (fault, own) => void faults.add(fault, own, accountOf(own?.account)),
    requests(filter) {
      const { operation, account } = readMockOptions("mock.requests", filter, filterTable);
      return journal.list(operation, accountOf(account));
    },
    reset,
  };
}
