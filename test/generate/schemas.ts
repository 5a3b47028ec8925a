import type { Document } from "../helpers/generated-module.js";

export const text = { type: "string" };
export const integer = { type: "integer" };

/** The content of a body or an answer in JSON. */
export const json = (schema: object) => ({ "application/json": { schema } });

/** Refers to a component by its name. */
export const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Every operation of a document. */
export const operationsOf = ({ paths }: Document): Document[] =>
  Object.values<Document>(paths).flatMap((item) => Object.values<Document>(item));
