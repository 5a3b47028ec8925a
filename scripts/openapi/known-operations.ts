/** The path of a job, with the parameter name that callers of the SDK know. */
export const jobPath = "/public/v1/jobs/{id}";

/** The operations with SDK methods, with the SDK's names and paths for them. */
export const knownOperations = [
  { name: "createApp", call: "apps.create", method: "post", path: "/public/v1/apps" },
  { name: "createScreenshots", call: "screenshots.create", method: "post", path: "/public/v1/screenshots" },
  { name: "getJob", call: "jobs.get", method: "get", path: jobPath },
] as const;

/** An operation with an SDK method. */
export type KnownOperation = (typeof knownOperations)[number];
