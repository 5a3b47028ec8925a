import { createFalClient } from "@fal-ai/client";
import { apiKey } from "../key.js";

/** It has an address of its own for each model, so this is for its size and not for calls. */
export function caller() {
  const client = createFalClient({ credentials: apiKey });
  return () => client.queue.submit("fal-ai/flux", { input: { prompt: "a cat" } });
}
