import type { CreateScreenshotsParams } from "screenshot-sets";

// The build puts a sample for an engine in the place of this.

/** Plans a set. Missing where a sample only works on sets that are in the database. */
export const order: ((id: string, params: CreateScreenshotsParams) => Promise<void>) | undefined;

/** Handles a message of a queue. Only the sample of AWS Lambda has one. */
export const handler: ((event: { Records: { body: string | undefined }[] }) => Promise<void>) | undefined;
