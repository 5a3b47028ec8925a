/** Counts the ids of one account, so that the same steps give the same ids. */
export interface Ids {
  next(kind: Kind): string;
  /** How many ids of a kind there are. */
  count(kind: Kind): number;
  reset(): void;
}

type Kind = "app" | "job" | "key";

/** Further accounts have their number in their ids, so that no id means two things. */
export function createIds(account: number): Ids {
  const counts = { app: 0, job: 0, key: 0 };

  return {
    next(kind) {
      const count = ++counts[kind];
      return account === 1 ? `${kind}_${count}` : `${kind}_${account}_${count}`;
    },
    count: (kind) => counts[kind],
    reset() {
      Object.assign(counts, { app: 0, job: 0, key: 0 });
    },
  };
}
