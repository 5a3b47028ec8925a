import type { operationNames } from "../../generated/values.js";

/** An operation of the service, by the name that the OpenAPI document gives it. */
export type OperationName = (typeof operationNames)[number];
