import { changes } from "./changes.js";
import type { Operation } from "./operation.js";
import { reads } from "./reads.js";

/** Every operation of the control API, but for the stream and the document. */
export const operations: readonly Operation[] = [...reads, ...changes];
