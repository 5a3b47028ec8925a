import { Refusal, type RefusalCode } from "../refusal.js";

/** The refusal of a document, for a reason that goes on from "it". */
export function refusal(code: RefusalCode, reason: string): Refusal {
  return new Refusal(
    code,
    `Failed to accept the document: ${reason}. Please give the service's OpenAPI document.`,
  );
}
