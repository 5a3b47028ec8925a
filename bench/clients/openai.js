import OpenAi from "openai";
import { apiKey } from "./key.js";

export function caller(baseUrl) {
  const client = new OpenAi({ apiKey, baseURL: baseUrl });
  return () => client.responses.create({ model: "m", input: "Hello" });
}
