import { undiciFetch } from "screenshot-sets/undici";

// A set-up file: whatever takes the global `fetch`, as a client does that is given none, sends through undici.
globalThis.fetch = undiciFetch();
