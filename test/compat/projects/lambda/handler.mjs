/** A function of AWS Lambda behind an HTTP API. */
export async function handler(event) {
  // A warm start finds the module, and the client in it, as the last one left it.
  const { planSet } = await import("./plan-set.mjs");
  const { status, body } = await planSet(JSON.parse(event.body));
  return { statusCode: status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
