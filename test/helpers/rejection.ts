/** What a promise rejects with; a promise that resolves is a failure of the test. */
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
