/** The outcome of waiting for jobs of one distribution. */
export interface Outcome {
  distribution: string;
  /** The mean number of polls per job. */
  looks: number;
  /** The mean lateness at which ends were seen, as a fraction of the duration. */
  lateness: number;
}

/** Polls × lateness. Less is better. */
export const product = ({ looks, lateness }: Outcome) => looks * lateness;

export function geometricMean(numbers: number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}

export function mean(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
