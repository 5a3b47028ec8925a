/** How somebody waited for jobs of one distribution. */
export interface Outcome {
  distribution: string;
  /** A job, on average. */
  looks: number;
  /** How late ends were seen, as a share of the duration, on average. */
  lateness: number;
}

/** How often and how late: the less of both, the better. */
export const product = ({ looks, lateness }: Outcome) => looks * lateness;

export function geometricMean(numbers: number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}

export function mean(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
