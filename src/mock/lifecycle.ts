/** How a job proceeds from acceptance to its end. */
export type Lifecycle =
  /** The job has ended by the first poll. */
  | "instant"
  /** The job keeps its state until `mock.jobs` moves it. */
  | "manual"
  /** The job has the statuses of the recording of the service, each at one poll. */
  | "recorded"
  /** The job is `queued`, then `running`, each for a given length. */
  | {
      /** How long the job is `queued`. */
      queued: number;
      /** How long the job is then `running`. */
      running: number;
      /** The unit of both: answered polls, or milliseconds on the mock's clock. */
      unit: "polls" | "ms";
    };

/** A lifecycle by the lengths of its phases. */
export type Lengths = Exclude<Lifecycle, string>;

/** The lifecycles that are a name alone. */
export const namedLifecycles = ["instant", "manual", "recorded"] as const satisfies Lifecycle[];

/** The units of lengths: the letter with which users type each, and how much of it that is. */
const units = {
  polls: { letter: "p", size: 1, form: "\\d{1,9}" },
  ms: { letter: "s", size: 1000, form: "\\d{1,9}(?:\\.\\d+)?" },
} as const satisfies Record<Lengths["unit"], object>;

export const lengthUnits = Object.keys(units) as Lengths["unit"][];

/** What users may type, for people. */
export const lifecycleForms =
  "instant, manual, recorded, or how long jobs are queued and running: 2p,3p in polls or 2s,3s in seconds";

/** Formats a lifecycle as users type it. */
export function lifecycleWords(lifecycle: Lifecycle): string {
  if (typeof lifecycle === "string") return lifecycle;
  const { letter, size } = units[lifecycle.unit];
  return [lifecycle.queued, lifecycle.running].map((length) => `${length / size}${letter}`).join();
}

/** @throws RangeError if the text is not a lifecycle */
export function readLifecycle(text: string): Lifecycle {
  const name = namedLifecycles.find((one) => one === text);
  if (name) return name;
  for (const unit of lengthUnits) {
    const { letter, size, form } = units[unit];
    const [, queued, running] = new RegExp(`^(${form})${letter},(${form})${letter}$`).exec(text) ?? [];
    if (queued) return { queued: Number(queued) * size, running: Number(running) * size, unit };
  }
  throw new RangeError(`Expected \`lifecycle\` to be ${lifecycleForms}`);
}
