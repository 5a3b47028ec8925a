/** What a value is, in words that never repeat it: `a string`, `an array`, `NaN`, `null`, `an AbortSignal`. */
export function typeName(value: unknown): string {
  const isSpecial = typeof value === "number" && !Number.isFinite(value);
  if (value === null || value === undefined || isSpecial) return String(value);
  if (value === "") return "an empty string";
  const name = typeof value === "object" ? className(value) : typeof value;
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

/** Returns only names given by the platform, since a program may call its own objects anything. */
function className(value: object): string {
  try {
    const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
    return /^(Abort(Controller|Signal)|Date|Error|FormData|Headers|Map|Promise|Request|Set|URL(SearchParams)?)$/.test(
      tag,
    )
      ? tag
      : tag.toLowerCase() === "array"
        ? "array"
        : "object";
  } catch {
    return "object";
  }
}

/** Advice about an object in place of a string that it holds under one of these names. */
export function adviceFor(value: unknown, ...names: string[]): string {
  if (typeName(value) === "a Promise") return ": await it first";
  const name = names.find((one) => typeof fieldOf(value, one) === "string");
  return name === undefined ? "" : `: pass its \`${name}\``;
}

function fieldOf(value: unknown, name: string): unknown {
  try {
    const isObject = typeof value === "object" && value !== null;
    return isObject && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}
