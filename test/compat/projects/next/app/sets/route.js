import { planSet } from "../../plan-set.mjs";

export async function POST(request) {
  const { status, body } = await planSet(await request.json());
  return Response.json(body, { status });
}
