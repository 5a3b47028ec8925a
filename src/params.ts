/**
 * The checks of the parameters of both creates, for forms, queues, routers and tools for models: anything that takes a
 * [Standard Schema](https://standardschema.dev).
 *
 * @example
 * ```ts
 * import { createScreenshotsParams } from "screenshot-sets/schema";
 *
 * const { issues } = createScreenshotsParams["~standard"].validate({ appId: "app_1", device: "iphone-1" });
 * for (const { path, message } of issues ?? []) console.log(path.join("."), message);
 * ```
 *
 * @module screenshot-sets/schema
 */

import { createApp, createScreenshots } from "./generated/operations.js";
import { withDefaultCount } from "./request/call.js";
import { documentedPart } from "./schema/documented-part.js";
import { parseRequest, type Schema } from "./schema/parse.js";
import type { CreateAppParams, CreateScreenshotsParams } from "./types.js";

/** The part of a Standard Schema that other libraries call. */
export interface StandardSchema<Params> {
  /** What such libraries look for. */
  readonly "~standard": {
    /** The version of the standard. */
    readonly version: 1;
    /** Whose schema it is. */
    readonly vendor: string;
    /** Checks a value and sends nothing. It never throws, and its messages never repeat the value. */
    readonly validate: (value: unknown) => Checked<Params>;
    /** For compilers alone; it is never there. */
    readonly types?: {
      /** What a value is before it is checked. */
      readonly input: Params;
      /** What it is afterwards. */
      readonly output: Params;
    };
  };
}

/**
 * The documented parameters as the method would send them, or why it would not, in the words of
 * `InvalidRequestError.issues`.
 */
type Checked<Params> =
  | { readonly value: Params; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path: readonly string[] }[] };

/**
 * The parameters of `apps.create` (`createApp`, `POST /public/v1/apps`), as that method checks them before it sends
 * anything. The checked value has the documented parameters alone, whatever else a public form was sent.
 */
export const createAppParams = standardSchema<CreateAppParams>(createApp.body);

/**
 * The parameters of `screenshots.create` (`createScreenshots`, `POST /public/v1/screenshots`), as that method checks
 * them before it sends anything. The checked value has the documented parameters alone, whatever else a public form was
 * sent, and the document's default for a `count` that is left out.
 */
export const createScreenshotsParams = standardSchema<CreateScreenshotsParams>(
  createScreenshots.body,
  withDefaultCount,
);

function standardSchema<Params>(
  body: Schema,
  completed = (value: unknown): unknown => value,
): StandardSchema<Params> {
  const validate = (value: unknown): Checked<Params> => {
    const parsed = parseRequest(body, completed(value));
    if (parsed.ok) return { value: documentedPart(body(), parsed.value) as Params };
    return {
      issues: parsed.issues.map(({ path, message }) => ({ message, path: path.split(".").filter(Boolean) })),
    };
  };
  return { "~standard": { version: 1, vendor: "screenshot-sets", validate } };
}
