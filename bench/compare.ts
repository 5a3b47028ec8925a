/** A figure of one contestant: the median over the rounds, and the median of each round's ratio to the first one's. */
export interface Figure {
  median: number;
  ratio: number;
}

/**
 * Measures contestants in turns, so that other work of the machine slows all of them equally. Every other round runs
 * backwards, because each contestant is slowed by the garbage of the one before.
 *
 * @returns for each contestant, in order, its figure. The others are compared with the first one.
 */
export async function takeTurns<Contestant>(
  contestants: Contestant[],
  { warmUpRounds, rounds }: { warmUpRounds: number; rounds: number },
  measure: (contestant: Contestant) => Promise<number>,
): Promise<Figure[]> {
  const measured: number[][] = contestants.map(() => []);
  const entries = [...contestants.entries()];
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const [index, contestant] of round % 2 === 0 ? entries : entries.toReversed()) {
      const number = await measure(contestant);
      if (round >= 0) measured[index]?.push(number);
    }
  }
  return measured.map((numbers) => ({
    median: median(numbers),
    ratio: median(numbers.map((number, round) => number / (measured[0]?.[round] as number))),
  }));
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}
