import { slides as samples } from "../../generated/samples.js";
import { isRecord } from "../../schema/parse.js";
import { plainCopy } from "./plain-copy.js";
import type { RecordedSet } from "./recorded.js";
import { documented, type Sources } from "./sources.js";
import type { SlideContext, Undocumented } from "./undocumented.js";

/** The slides that no plan gives: as configured, else as recorded, else as documented or made up. */
export class Slides {
  constructor(
    private readonly configured: Undocumented["slide"],
    private readonly recorded: RecordedSet,
  ) {}

  /** The slides of a set. */
  of(set: Omit<SlideContext, "index">): readonly unknown[] {
    const { slides, count } = this.recorded;
    if (!slides || this.configured) {
      const make = this.configured ?? defaultSlide;
      return Array.from({ length: set.count }, (_, index) => plainCopy(make({ index, ...set })));
    }
    if (set.count === count || slides.length === 0) return slides;
    return Array.from({ length: set.count }, (_, index) => slides[index % slides.length]);
  }

  /** Where they come from. */
  get sources(): Sources {
    if (this.configured) return { guesses: ["slide"], recorded: [] };
    if (this.recorded.slides) return { guesses: [], recorded: ["slide"] };
    return samples.length > 0 ? documented() : { guesses: ["slide"], recorded: [] };
  }
}

/** A slide as described by the OpenAPI document or, as long as it describes none, one with an index and a caption. */
function defaultSlide({ index, count }: SlideContext): unknown {
  if (samples.length === 0) return { index, caption: `Slide ${index + 1} of ${count}` };
  const place = index % samples.length;
  const slide = samples[place];
  // A set may have more slides than there are samples.
  const isNumbered = isRecord(slide) && typeof slide.index === "number";
  return isNumbered ? { ...slide, index: Number(slide.index) + index - place } : slide;
}
