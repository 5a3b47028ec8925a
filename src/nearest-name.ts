/** How alike two names have to be for the one to be taken for the other: some letters wrong, or a part left out. */
const leastLikeness = 0.6;

/** Of the known names the one that a wrong one most likely stands for; undefined where none is near. */
export function nearestName(wrong: string, known: readonly string[]): string | undefined {
  let nearest: { name: string; likeness: number } | undefined;
  for (const name of known) {
    const found = likeness(letters(wrong), letters(name));
    if (found >= leastLikeness && found > (nearest?.likeness ?? 0)) nearest = { name, likeness: found };
  }
  return nearest?.name;
}

/**
 * Says which name among some values nobody takes, and which one is meant; undefined where all are known.
 *
 * @param taker who takes the values, such as "`createMock`"
 * @param kind what the values are to it
 */
export function unknownOption(
  taker: string,
  values: object,
  known: readonly string[],
  kind = "option",
): string | undefined {
  const wrong = Object.keys(values).find((name) => !known.includes(name));
  if (wrong === undefined) return undefined;
  const nearest = nearestName(wrong, known);
  const meant = nearest ? `Did you mean \`${nearest}\`?` : `It takes \`${known.join("`, `")}\`.`;
  return `${taker} has no ${kind} \`${wrong.slice(0, longestName).replace(/[^\w-]/g, "?")}\`. ${meant}`;
}

const longestName = 40;

/** The letters that count: `base_url`, `baseURL` and `--base-url` are one name. */
function letters(name: string): string {
  return name.slice(0, longestName).replace(/[\W_]/g, "").toLowerCase();
}

/**
 * The share of their letters that two names have in the same order: 1 for the same name, 0 for none in common. A name
 * that is a part of the other is nearly the same, the more of it the nearer.
 */
function likeness(one: string, other: string): number {
  const [short = "", long = ""] = [one, other].sort((a, b) => a.length - b.length);
  if (short.length > 2 && short !== long && long.includes(short))
    return 0.95 + (0.04 * short.length) / long.length;
  let lengths: number[] = Array(other.length + 1).fill(0);
  for (const letter of one) {
    const next = [0];
    for (const [index, its] of [...other].entries()) {
      const [without = 0, withIt = 0] = lengths.slice(index, index + 2).reverse();
      next.push(its === letter ? withIt + 1 : Math.max(without, next[index] as number));
    }
    lengths = next;
  }
  return (2 * (lengths.at(-1) as number)) / (one.length + other.length);
}
