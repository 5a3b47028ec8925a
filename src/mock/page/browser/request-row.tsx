import { useState } from "preact/hooks";
import type { RequestDetail, RequestView } from "../schemas.js";
import { Action } from "./action.js";
import { useRead } from "./api.js";
import { copy } from "./clipboard.js";
import { curlOf } from "./curl.js";
import { Unfolder } from "./fields.js";
import { cut, formatTime } from "./format.js";
import { Place } from "./problems.js";
import { LongText } from "./scrolling.js";

/** @param baseUrl the service's, as the browser reaches it */
export function RequestRow({ request, baseUrl }: { request: RequestView; baseUrl: string }) {
  const [isOpen, setOpen] = useState(false);
  const { id, operation, time, method, path, status, credits, guesses, recorded } = request;
  const at = formatTime(time);
  return (
    <>
      <tr data-testid="request" class={isOpen ? "open" : undefined}>
        <td title={at}>
          {at.slice(11)}
          <small class="faint">#{id}</small>
        </td>
        <td class="free">
          {operation ?? "none"}
          <small class="faint">{`${method} ${cut(path, 200)}`}</small>
        </td>
        <td class={`code${status === null ? "" : ` s${Math.floor(status / 100)}`}`}>{status ?? "none"}</td>
        <td>{credits}</td>
        <td class="free">
          {guesses.join(", ")}
          {recorded.length > 0 && <small class="faint">{`recorded: ${recorded.join(", ")}`}</small>}
        </td>
        <td>
          <Unfolder text="Details" label={`Details of request ${id}`} isOpen={isOpen} setOpen={setOpen} />
        </td>
      </tr>
      {isOpen && (
        <tr class="open">
          <td colSpan={6} class="free">
            <Details request={request} baseUrl={baseUrl} />
          </td>
        </tr>
      )}
    </>
  );
}

/** What was sent and answered. An open request is read again once it has its answer. */
function Details({ request: { id, status }, baseUrl }: { request: RequestView; baseUrl: string }) {
  const { answer: detail, problem } = useRead<RequestDetail>(`requests/${id}`, status);
  if (!detail) return <p class="faint">{problem ?? "…"}</p>;
  return (
    <Place>
      {detail.body !== null && <LongText name="body" text={written(detail.body)} />}
      <LongText name="answer" text={answerOf(detail)} />
      <Action text="Copy as curl" run={() => copy(curlOf(detail, baseUrl))} />
    </Place>
  );
}

/** An answer as HTTP writes it, with how long it took. */
function answerOf({ status, durationMs, responseHeaders, responseBody }: RequestDetail): string {
  if (status === null) return "No answer";
  const headers = Object.entries(responseHeaders ?? {}).map(([name, value]) => `${name}: ${value}`);
  const body = responseBody === null ? [] : ["", written(responseBody)];
  return [`${status} after ${durationMs} ms`, ...headers, ...body].join("\n");
}

const written = (value: unknown) =>
  cut(typeof value === "string" ? value : JSON.stringify(value, null, 2), 10_000);
