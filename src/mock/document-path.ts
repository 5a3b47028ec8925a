/** Where the service publishes its OpenAPI document, below the base URL: sections 1 and 4.4 of its specification. */
export const documentPath = "/public/openapi.json";
