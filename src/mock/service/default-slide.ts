import type * as z from "zod/mini";
import { describedValue, memberOf } from "./described-value.js";

/** What a slide is made of. */
export interface SlideContext {
  /** The place of the slide, from 0. */
  index: number;
  /** How many slides the set has. */
  count: number;
  /** The device that the set is for. */
  device: string;
  /** The job that plans the set. */
  jobId: string;
  /** The app that the set is of. */
  appId: string;
}

/**
 * Makes slides as the OpenAPI document describes them; while it does not, with an index and a caption.
 *
 * @param answer the answer with a job, by the document
 */
export function createDefaultSlide(answer: () => z.core.$ZodType): (slide: SlideContext) => unknown {
  let isDescribed: boolean | undefined;
  const described = (index: number) => {
    const slide = memberOf(answer(), ["result", "slides"]);
    return slide && describedValue(slide, "slide", index);
  };

  return ({ index, count }) => {
    isDescribed ??= Object.keys(Object(described(0))).length > 0;
    return isDescribed ? described(index) : { index, caption: `Slide ${index + 1} of ${count}` };
  };
}
