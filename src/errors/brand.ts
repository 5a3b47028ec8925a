const marks = new Map<unknown, symbol>();

/**
 * Makes `instanceof` hold across copies of these classes: the ESM and the CommonJS copy of the package, and each bundle
 * that holds one, have classes of their own. `instanceof` asks for a mark on the prototype, which is the same in all of
 * them. Sets the names too, which a minifier shortens.
 *
 * @param classes by their names, the base of all others first
 */
export function brand(classes: Record<string, new (message: string, details: never) => Error>): void {
  for (const [name, errorClass] of Object.entries(classes)) {
    const mark = Symbol.for(`screenshot-sets.${name}`);
    marks.set(errorClass, mark);
    Object.defineProperties(errorClass.prototype, {
      name: { value: name, writable: true },
      [mark]: { value: true },
    });
    // `util.inspect` shows the name of the class as well.
    Object.defineProperty(errorClass, "name", { value: name });
  }
  // The other classes inherit it.
  const [base] = Object.values(classes);
  Object.defineProperty(base, Symbol.hasInstance, { value: isInstance });
}

/** A subclass made elsewhere has no mark of its own and answers as usual. */
function isInstance(this: unknown, value: unknown): boolean {
  const mark = marks.get(this);
  if (mark === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
  return typeof value === "object" && value !== null && mark in value;
}
