import Replicate from "replicate";
import { apiKey } from "./key.js";

export function caller(baseUrl) {
  const client = new Replicate({ auth: apiKey, baseUrl });
  return () => client.predictions.create({ version: "1", input: { device: "iphone-69", count: 5 } });
}
