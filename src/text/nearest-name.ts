import { printableWord } from "./printable.js";

/** The lowest likeness at which a wrong name is taken for a known one: some wrong letters, or a part left out. */
const leastLikeness = 0.61;

/** The known name that a wrong one most likely stands for; undefined if none is similar enough. */
export function nearestName(wrong: string, known: readonly string[]): string | undefined {
  let nearest: { name: string; likeness: number } | undefined;
  for (const name of known) {
    const found = likeness(letters(wrong), letters(name));
    if (found >= leastLikeness && found > (nearest?.likeness ?? 0)) nearest = { name, likeness: found };
  }
  return nearest?.name;
}

/**
 * The messages for the unknown names among some values, each with the name that was probably meant.
 *
 * @param taker what takes the values, such as "`createMock`"
 * @param kind what a value is called, such as "field"
 */
export function unknownNames(
  taker: string,
  values: object,
  known: readonly string[],
  kind = "option",
): string[] {
  const unknown = Object.keys(values).filter((name) => !known.includes(name));
  return unknown.map((wrong) => {
    const nearest = nearestName(wrong, known);
    const meant = nearest ? `Did you mean \`${nearest}\`?` : `It takes \`${known.join("`, `")}\`.`;
    return `${taker} has no ${kind} \`${shown(wrong)}\`. ${meant}`;
  });
}

/** The first of the messages for unknown names; undefined if all are known. */
export function unknownName(...asked: Parameters<typeof unknownNames>): string | undefined {
  return unknownNames(...asked)[0];
}

const longestName = 40;

/** A name as it was written, but for what a terminal would not show, which is escaped, and for the end of a long one. */
function shown(name: string): string {
  return printableWord(name.length > longestName ? `${name.slice(0, longestName)}…` : name);
}

/** The letters that are compared: `base_url`, `baseURL` and `--base-url` are the same name. */
function letters(name: string): string {
  return name.slice(0, longestName).replace(/[\W_]/g, "").toLowerCase();
}

/**
 * The share of letters that two names have in the same order: 1 for equal names, 0 for none in common. If one name is
 * part of the other, they are nearly equal, and the more so the longer the part is.
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
