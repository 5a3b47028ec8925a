import type { RequestDetail } from "../schemas.js";

/** A text as one argument of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * The command that sends a request again, with the key from the environment.
 *
 * @param baseUrl the service's, as the browser reaches it
 */
export function curlOf({ method, path, key, body }: RequestDetail, baseUrl: string): string {
  const sent = typeof body === "string" ? body : JSON.stringify(body);
  return [
    `curl -X ${quoted(method)} ${quoted(baseUrl + path)}`,
    ...(key === null ? [] : [`-H "x-api-key: $SCREENSHOT_SETS_API_KEY"`]),
    ...(body === null ? [] : [`-H 'content-type: application/json' --data-raw ${quoted(sent)}`]),
  ].join(" ");
}
