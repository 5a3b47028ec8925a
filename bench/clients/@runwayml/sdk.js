import Runway from "@runwayml/sdk";
import { apiKey } from "../key.js";

export function caller(baseUrl) {
  const client = new Runway({ apiKey, baseURL: baseUrl });
  const image = { promptImage: "https://service.test/a.png", ratio: "1280:720" };
  return () => client.imageToVideo.create({ model: "gen4_turbo", ...image });
}
