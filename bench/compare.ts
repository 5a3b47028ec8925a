/** A figure of one contestant: the median over the rounds, and the median of each round's ratio to the first one's. */
export interface Figure {
  median: number;
  ratio: number;
}

interface Rounds {
  warmUpRounds: number;
  rounds: number;
}

/**
 * Measures contestants in turns, so that other work of the machine slows all of them equally. Every other round runs
 * backwards, because each contestant is slowed by the garbage of the one before. The others are compared with the first
 * one.
 *
 * @returns for each contestant, in order, a figure for each number that `measure` returns
 */
export async function takeTurns<Contestant>(
  contestants: Contestant[],
  { warmUpRounds, rounds }: Rounds,
  measure: (contestant: Contestant) => Promise<number[]>,
): Promise<Figure[][]> {
  const measured: number[][][] = contestants.map(() => []);
  const entries = [...contestants.entries()];
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const [index, contestant] of round % 2 === 0 ? entries : entries.toReversed()) {
      const numbers = await measure(contestant);
      if (round >= 0) measured[index]?.push(numbers);
    }
  }
  const [first = []] = measured;
  return measured.map((ownRounds) =>
    (ownRounds[0] ?? []).map((_, place) => {
      const own = ownRounds.map((numbers) => numbers[place] as number);
      const ratios = own.map((number, round) => number / (first[round]?.[place] as number));
      return { median: median(own), ratio: median(ratios) };
    }),
  );
}

type Call = () => Promise<unknown>;

/** The wall-clock microseconds per call, for calls that run one after another. */
export const microseconds =
  (calls: number) =>
  async (call: Call): Promise<number[]> => {
    const startedAt = performance.now();
    for (let count = 0; count < calls; count++) await call();
    return [((performance.now() - startedAt) * 1000) / calls];
  };

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
