/** Microseconds a call: the median over the rounds, and the median of each round's ratio to the first contestant. */
export interface Timing {
  name: string;
  microseconds: number;
  ratio: number;
}

interface Rounds {
  rounds: number;
  /** Calls of each contestant in a round. */
  calls: number;
  /** What has been spent so far, in microseconds: the time of the process's CPU, where it is not that of the clock. */
  spentUs?: () => number;
}

/**
 * Times calls that wait for each other. The contestants take turns in every round, so that what else the machine
 * does meanwhile slows all of them alike, and every other round goes backwards, as each finds the garbage of the one
 * before; the first is the one that the others are compared with.
 */
export async function compare(
  contestants: Record<string, () => Promise<unknown>>,
  { rounds, calls, spentUs = () => performance.now() * 1000 }: Rounds,
): Promise<Timing[]> {
  const entries = Object.entries(contestants);
  const times = new Map<string, number[]>(entries.map(([name]) => [name, []]));
  const warmUpRounds = 3;
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const [name, call] of round % 2 === 0 ? entries : entries.toReversed()) {
      const startedAt = spentUs();
      for (let count = 0; count < calls; count++) await call();
      const microseconds = (spentUs() - startedAt) / calls;
      if (round >= 0) times.get(name)?.push(microseconds);
    }
  }
  const [first = []] = times.values();
  return [...times].map(([name, own]) => ({
    name,
    microseconds: median(own),
    ratio: median(own.map((microseconds, round) => microseconds / (first[round] as number))),
  }));
}

/** Requests a second: the medians over the rounds, and the median of each round's ratio. */
export interface Rates {
  bare: number;
  own: number;
  ratio: number;
}

/**
 * Compares two rates, which are measured in turns. The one that goes first finds the garbage of the other, so they
 * take turns in that too.
 */
export async function compareRates(
  bareRate: () => Promise<number>,
  ownRate: () => Promise<number>,
  { warmUpRounds, rounds }: { warmUpRounds: number; rounds: number },
): Promise<Rates> {
  const rates: { bare: number; own: number }[] = [];
  for (let round = -warmUpRounds; round < rounds; round++) {
    const bareFirst = round % 2 === 0;
    const first = await (bareFirst ? bareRate() : ownRate());
    const second = await (bareFirst ? ownRate() : bareRate());
    if (round >= 0) rates.push(bareFirst ? { bare: first, own: second } : { bare: second, own: first });
  }
  return {
    bare: median(rates.map(({ bare }) => bare)),
    own: median(rates.map(({ own }) => own)),
    ratio: median(rates.map(({ bare, own }) => own / bare)),
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
