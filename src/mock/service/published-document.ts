// biome-ignore lint/correctness/useImportExtensions: it is JSON
import document from "../../../openapi.json" with { type: "json" };

/** The OpenAPI document as the service publishes it. */
export const documentText = `${JSON.stringify(document, null, 2)}\n`;
