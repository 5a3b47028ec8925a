export { POST } from "../sets/route.js";

export const runtime = "edge";
