import { builtFile } from "./contestants.js";

/** A package as its users start with it: what they import, and one call. */
export interface ClientProgram {
  name: string;
  /** What ES modules import and what CommonJS modules require. */
  esm: string;
  cjs: string;
  /** The export that makes a client. `require` also returns it if it is `default`. */
  imported: string;
  /** Code that makes the client from the export, under the name `Client`. */
  client: string;
  /** Code for a call of `client`. */
  call: string;
}

const peerProgram = (name: string, imported: string, client: string, call: string): ClientProgram => ({
  name,
  esm: name,
  cjs: name,
  imported,
  client,
  call,
});

const key = '"key_0123456789abcdef0123456789abcdef"';

/** The project first, then its peers. */
export const clientPrograms: ClientProgram[] = [
  {
    name: "screenshot-sets",
    esm: builtFile("index.js"),
    cjs: builtFile("index.cjs"),
    imported: "ScreenshotSets",
    client: `new Client({ apiKey: ${key}, baseUrl: "https://service.test/api/v1" })`,
    call: 'client.screenshots.create({ appId: "app_1", device: "iphone-69" })',
  },
  peerProgram(
    "openapi-fetch",
    "default",
    'Client({ baseUrl: "https://service.test" })',
    'client.POST("/sets", { body: { count: 5 } })',
  ),
  peerProgram(
    "replicate",
    "default",
    `new Client({ auth: ${key} })`,
    'client.predictions.create({ version: "1", input: {} })',
  ),
  peerProgram(
    "@runwayml/sdk",
    "default",
    `new Client({ apiKey: ${key} })`,
    'client.imageToVideo.create({ model: "gen4_turbo", promptImage: "https://service.test/a.png", ratio: "1280:720" })',
  ),
  peerProgram(
    "@fal-ai/client",
    "createFalClient",
    `Client({ credentials: ${key} })`,
    'client.queue.submit("fal-ai/flux", { input: { prompt: "a cat" } })',
  ),
  peerProgram(
    "assemblyai",
    "AssemblyAI",
    `new Client({ apiKey: ${key} })`,
    'client.transcripts.submit({ audio_url: "https://service.test/a.mp3" })',
  ),
  peerProgram(
    "resend",
    "Resend",
    `new Client(${key})`,
    'client.emails.send({ from: "a@service.test", to: "b@service.test", subject: "Hello", text: "Hello" })',
  ),
  peerProgram(
    "openai",
    "default",
    `new Client({ apiKey: ${key} })`,
    'client.responses.create({ model: "m", input: "Hello" })',
  ),
  peerProgram(
    "stripe",
    "default",
    `new Client(${key}, { httpClient: Client.createFetchHttpClient() })`,
    'client.customers.create({ name: "A" })',
  ),
];
