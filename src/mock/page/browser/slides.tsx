import { devices } from "../../../generated/values.js";
import { plural, textOf } from "./format.js";
import { LongText, useScrolling } from "./scrolling.js";

/** The limits of what is shown: more than the service plans, but a test may supply slides of any size. */
const most = { slides: 40, fields: 40, characters: 300 };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The class with the shape of a device; none for an unknown device. */
function shapeOf(device: unknown): string {
  const index = (devices as readonly unknown[]).indexOf(device);
  return index === -1 ? "" : ` shape-${index}`;
}

interface SlidesProps {
  jobId: string;
  result: unknown;
  isGuess: boolean;
}

export function Slides({ jobId, result, isGuess }: SlidesProps) {
  const { device, slides } = isRecord(result) ? result : { device: undefined, slides: undefined };
  if (!Array.isArray(slides)) return <LongText name="result" text={textOf(result, 2_000)} />;
  const more = slides.length - most.slides;
  return (
    <>
      {isGuess && (
        <p data-testid="guess" class="guess">
          The slides are a guess: the service does not document their fields.
        </p>
      )}
      <ul aria-label={`Slides of ${jobId}`} class="slides">
        {slides.slice(0, most.slides).map((slide, index) => (
          <Slide key={index} slide={slide} shape={shapeOf(device)} />
        ))}
      </ul>
      {more > 0 && <p class="faint">and {plural(more, "more slide")}</p>}
    </>
  );
}

function Slide({ slide, shape }: { slide: unknown; shape: string }) {
  return (
    <li data-testid="slide" class={`slide${shape}`}>
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
