import { planSet } from "../../plan-set.mjs";

export async function action({ request }) {
  const { status, body } = await planSet(await request.json());
  return Response.json(body, { status });
}
