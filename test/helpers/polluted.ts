/** Runs while every object seems to have the field, as after an attack through a merge of foreign JSON. */
export async function polluted<T>(
  field: string,
  value: unknown,
  run: () => Promise<T>,
  enumerable = false,
): Promise<T> {
  Object.defineProperty(Object.prototype, field, {
    value,
    configurable: true,
    writable: true,
    enumerable,
  });
  try {
    return await run();
  } finally {
    Reflect.deleteProperty(Object.prototype, field);
  }
}
