import { apiKey } from "./key.js";

/** The code that everyone writes without an SDK. */
export function caller(baseUrl) {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return async () => {
    const body = JSON.stringify({ appId: "app_1", device: "iphone-69", count: 5 });
    const response = await fetch(`${baseUrl}/public/v1/screenshots`, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`Failed with ${response.status}`);
    return response.json();
  };
}
