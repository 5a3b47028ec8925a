import { undiciFetch } from "screenshot-sets/undici";

// A set-up file: users of the global `fetch`, such as a client without its own, send through undici.
globalThis.fetch = undiciFetch();
