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
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (tag === "Array") return "array";
  const isOfPlatform =
    /^(Abort(Controller|Signal)|Date|Error|FormData|Headers|Map|Promise|Request|Set|URL(SearchParams)?)$/;
  return isOfPlatform.test(tag) ? tag : "object";
}

/** Advice about an object in place of a string that it holds under one of these names. */
export function adviceFor(value: unknown, ...names: string[]): string {
  if (typeName(value) === "a Promise") return ": await it first";
  if (typeof value !== "object" || value === null) return "";
  const fields = new Map(Object.entries(value));
  const name = names.find((one) => typeof fields.get(one) === "string");
  return name === undefined ? "" : `: pass its \`${name}\``;
}
