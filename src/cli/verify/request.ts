import { createApp, createScreenshots, getJob } from "../../generated/operations.js";
import { defaultCount, devices } from "../../generated/values.js";
import type { ClientOptions } from "../../index.js";
import { documentPath } from "../../mock/document-path.js";
import type { Operation } from "../../request/call.js";

/** A request that is sent to the service and to the mock. */
export interface TestRequest {
  method: string;
  path: string;
  init?: { params?: { path: Record<string, string> }; body?: object };
  /** What its client has in place of the usual options. */
  client?: ClientOptions;
  isKeyless?: true;
}

/** A document may list no devices. */
export const anyDevice: string = devices.at(0) ?? "iphone-69";

export function jobRequest(id: string): TestRequest {
  const { method, path, pathParameters } = getJob;
  return { method, path, init: { params: { path: { [pathParameters[0]]: id } } } };
}

export function createRequest({ method, path }: Operation, body: object): TestRequest {
  return { method, path, init: { body } };
}

const unknownJob = jobRequest("verify-no-such-job");
const unknownAppSet = { appId: "verify-no-such-app", device: anyDevice, count: defaultCount };

/** Everything that is sent before a set is ordered, in this order. The creates are to be refused. */
export const requests = {
  document: { method: "GET", path: documentPath },
  unknownJob,
  otherHeader: { ...unknownJob, client: { authHeader: "x-api-key" } },
  noKey: { ...unknownJob, isKeyless: true },
  wrongKey: { ...unknownJob, client: { apiKey: "verify-no-such-key" } },
  emptySet: createRequest(createScreenshots, {}),
  emptyApp: createRequest(createApp, {}),
  /** Only for who allows a set to be paid for. */
  unknownApp: createRequest(createScreenshots, unknownAppSet),
} as const satisfies Record<string, TestRequest>;
