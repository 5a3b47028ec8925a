import { useEffect, useState } from "preact/hooks";
import type { RequestDetail, RequestView } from "../schemas.js";
import { readInTurn } from "./api.js";
import { cut, formatTime } from "./format.js";
import { LongText } from "./scrolling.js";

export function RequestRow({ request }: { request: RequestView }) {
  const [isOpen, setOpen] = useState(false);
  const { id, operation, time, method, path, status, credits, guesses, hasBody } = request;
  const at = formatTime(time);
  return (
    <>
      <tr data-testid="request">
        <td title={at}>
          <time dateTime={`${at.replace(" ", "T")}Z`}>{at.slice(11)}</time>
          <small class="faint">#{id}</small>
        </td>
        <td class="free">
          {operation ?? "none"}
          <small class="faint">
            {method} {cut(path, 200)}
          </small>
        </td>
        <td class={`code${status === null ? "" : ` s${Math.floor(status / 100)}`}`}>{status ?? "none"}</td>
        <td>{credits}</td>
        <td class="free">
          <small>{guesses.join(", ")}</small>
        </td>
        <td>
          {hasBody && (
            <button
              type="button"
              class="quiet"
              aria-label={`Body of request ${id}`}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              Body
            </button>
          )}
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6} class="free">
            <Body id={id} />
          </td>
        </tr>
      )}
    </>
  );
}

function Body({ id }: { id: number }) {
  const [text, setText] = useState("…");
  useEffect(() => {
    readInTurn<RequestDetail>(`requests/${id}`).then(
      ({ body }) => setText(cut(typeof body === "string" ? body : JSON.stringify(body, null, 2), 10_000)),
      ({ message }) => setText(message),
    );
  }, [id]);
  return <LongText name="body" text={text} />;
}
