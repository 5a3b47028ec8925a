// biome-ignore lint/correctness/useImportExtensions: it is JSON
import document from "../../../openapi.json" with { type: "json" };

/** The OpenAPI document as the service publishes it (section 4.4 of its document). */
export const documentText = `${JSON.stringify(document, null, 2)}\n`;
