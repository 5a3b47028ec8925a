import createClient from "openapi-fetch";
import { apiKey } from "./key.js";

export function caller(baseUrl) {
  const client = createClient({ baseUrl, headers: { authorization: `Bearer ${apiKey}` } });
  return () =>
    client.POST("/public/v1/screenshots", { body: { appId: "app_1", device: "iphone-69", count: 5 } });
}
