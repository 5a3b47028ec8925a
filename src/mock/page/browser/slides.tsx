import type { CSSProperties } from "preact";
import { plural } from "../../../text/figures.js";
import { LongText, useScrolling } from "./elements.js";
import { cut, textOf } from "./format.js";

/** The limits of what is shown: more than the service plans, but a test may supply slides of any size. */
const most = { slides: 40, fields: 40, characters: 300 };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The shape of each device that the page knows; a later one has none. */
const shapes: ReadonlyMap<unknown, CSSProperties> = new Map([
  ["iphone-69", { aspectRatio: "1320 / 2868" }],
  ["iphone-67", { aspectRatio: "1290 / 2796" }],
  ["iphone-65", { aspectRatio: "1242 / 2688" }],
  ["ipad-pro", { aspectRatio: "2064 / 2752", width: "11.5rem" }],
  ["android-phone", { aspectRatio: "1080 / 1920" }],
  ["android-tablet", { aspectRatio: "1600 / 2560", width: "10.5rem" }],
]);

export function Slides({
  jobId,
  result,
  source,
}: {
  jobId: string;
  result: unknown;
  /** Where the slides are from, unless a test gave them. */
  source: "guess" | "recorded" | undefined;
}) {
  const { device, slides } = isRecord(result) ? result : { device: undefined, slides: undefined };
  if (!Array.isArray(slides)) return <LongText name="result" text={textOf(result, 2_000)} />;
  const shape = shapes.get(device);
  const more = slides.length - most.slides;
  return (
    <>
      {source && (
        <p data-testid={source} class={source}>
          {source === "recorded"
            ? "Recorded: these slides are from the service itself."
            : `Filled in by the mock: ${fieldsOf(slides)}. The service does not document the fields of slides.`}
        </p>
      )}
      <ul aria-label={`Slides of ${jobId}`} class="slides">
        {slides.slice(0, most.slides).map((slide, index) => (
          <Slide key={index} slide={slide} shape={shape} />
        ))}
      </ul>
      {more > 0 && <p class="faint">and {plural(more, "more slide")}</p>}
    </>
  );
}

/** The names of the fields of slides, each once. */
function fieldsOf(slides: unknown[]): string {
  const names = new Set(slides.filter(isRecord).flatMap(Object.keys));
  return names.size > 0 ? cut([...names].join(", "), most.characters) : "the slides";
}

function Slide({ slide, shape }: { slide: unknown; shape: CSSProperties | undefined }) {
  return (
    <li data-testid="slide" class="slide" style={shape}>
      <div {...useScrolling(slide, "Slide")}>
        <Fields slide={slide} />
      </div>
    </li>
  );
}

function Fields({ slide }: { slide: unknown }) {
  if (!isRecord(slide)) return <p class="caption">{textOf(slide, most.characters)}</p>;
  const { caption, ...fields } = slide;
  const entries = Object.entries(fields);
  const more = entries.length - most.fields;
  return (
    <>
      {Object.hasOwn(slide, "caption") && <p class="caption">{textOf(caption, most.characters)}</p>}
      {entries.length > 0 && (
        <dl>
          {entries.slice(0, most.fields).map(([name, value]) => (
            <div key={name} class="field">
              <dt>{textOf(name, 60)}</dt>
              <dd>{textOf(value, most.characters)}</dd>
            </div>
          ))}
        </dl>
      )}
      {more > 0 && <p class="faint">and {plural(more, "more field")}</p>}
    </>
  );
}
