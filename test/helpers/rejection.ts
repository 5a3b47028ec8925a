/** Returns what a promise rejects with. If the promise resolves, the test fails. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into errors of every class
export async function rejection(promise: Promise<unknown>): Promise<any> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`Expected a rejection, got ${JSON.stringify(value)}`);
}
