// Written by `npm run generate` from openapi.json. Do not edit.

/** What each operation may answer: the fields that are required, and a job's result and error. */
export const answers: Record<string, unknown> = {
  "createApp": {
    "appId": "appId 1",
    "artworkUrl": "artworkUrl 1",
    "category": "category 1",
    "name": "name 1"
  },
  "createScreenshots": {
    "credits": {
      "cost": 0,
      "remaining": 0
    },
    "jobId": "jobId 1"
  },
  "getJob": {
    "error": {},
    "id": "id 1",
    "result": {
      "device": "iphone-69",
      "slides": []
    },
    "status": "queued"
  }
};

/** The slides of a set, with every field that the document describes; none while it describes no field. */
export const slides: readonly unknown[] = [];

/** An error that the document lists. Without a body, it does not say what that is. */
export interface ErrorAnswer {
  mediaType?: string;
  body?: (told: { message: string; code: string; status: number }) => unknown;
}

/** The errors that the document lists for each operation, by status: `404`, `4XX`, `default`. */
export const errorAnswers: Record<string, Record<string, ErrorAnswer>> = {
  createApp: {
    "401": {},
  },
  createScreenshots: {
    "401": {},
  },
  getJob: {
    "401": {},
  },
};
