import { AssemblyAI } from "assemblyai";
import { apiKey } from "./key.js";

export function caller(baseUrl) {
  const client = new AssemblyAI({ apiKey, baseUrl });
  return () => client.transcripts.submit({ audio_url: "https://service.test/a.mp3" });
}
