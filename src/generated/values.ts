// Written by `npm run generate` from openapi.json. Do not edit.

/** The devices that the document lists for a screenshot set. */
export const devices = ["iphone-69", "iphone-67", "iphone-65", "ipad-pro", "android-phone", "android-tablet"] as const;

/** The statuses that the document lists for a job. */
export const jobStatuses = ["queued", "running", "succeeded", "failed"] as const;

/** The name of every operation of the document. */
export const operationNames = ["createApp", "createScreenshots", "getJob"] as const;

/** The methods whose operations the document marks as deprecated. */
export const deprecatedCalls = [] as const;

/** The path of the service's base address by the document or, if that states none, as it is known to be. */
export const basePath: string = "/api/v1";

/** The fields in which common APIs put messages for people, in the order in which they are tried. */
export const messageFields = ["message", "error_description", "error", "detail", "errors", "title", "description", "reason", "msg", "Message", "errorMessage", "error_message", "fault", "faultstring"] as const;

/** How many slides a set has if a request does not say it. */
export const defaultCount = 5;

/** What a screenshot set costs by the document, in credits: 10. An acceptance says what it did cost. */
export const setCost: number = 10;

/** The highest of `setCost` and of the prices that the document names, in credits: a budget counts what is not known to be less. */
export const highestSetCost: number = 10;

/** What the document says of the fields of each request body. */
export const requestFields: Record<string, Record<string, { values?: readonly unknown[]; minimum?: number; maximum?: number; maxLength?: number; default?: unknown }>> = {
  "createApp": {
    "androidUrl": {},
    "extraContext": {
      "maxLength": 2000
    },
    "iosUrl": {}
  },
  "createScreenshots": {
    "appId": {},
    "captionLength": {
      "values": [
        "short",
        "long"
      ],
      "default": "short"
    },
    "captionStyle": {
      "default": "aso-expert"
    },
    "count": {
      "minimum": 1,
      "maximum": 10,
      "default": 5
    },
    "device": {
      "values": [
        "iphone-69",
        "iphone-67",
        "iphone-65",
        "ipad-pro",
        "android-phone",
        "android-tablet"
      ]
    },
    "narrativeId": {}
  },
  "getJob": {}
};
