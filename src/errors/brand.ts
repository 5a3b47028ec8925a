const marks = new Map<unknown, symbol>();

/**
 * Makes `instanceof` work across copies of these classes: the ESM copy and the CommonJS copy of the package, and each
 * bundle that contains one, have their own. `instanceof` looks for a mark on the prototype, which is the same in all
 * copies. Also sets the names, which a minifier shortens.
 *
 * @param classes by name
 */
export function brand(classes: Record<string, new (message: string, details: never) => Error>): void {
  for (const [name, errorClass] of Object.entries(classes)) {
    const mark = Symbol.for(`screenshot-sets.${name}`);
    marks.set(errorClass, mark);
    Object.defineProperties(errorClass.prototype, {
      name: { value: name, writable: true },
      [mark]: { value: true },
    });
    // `util.inspect` also shows the name of the class.
    Object.defineProperty(errorClass, "name", { value: name });
  }
}

/** Whether a value is of a branded class. A subclass defined elsewhere has no mark of its own, and gets the usual check. */
export function isInstance(this: unknown, value: unknown): boolean {
  const mark = marks.get(this);
  if (mark === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
  return typeof value === "object" && value !== null && mark in value;
}
