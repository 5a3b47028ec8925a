import type { AcceptedJob, App, Slide, SucceededJob } from "../index.js";

/** What `create` shows for people: the slides with every field that they have, and what they cost. */
export function resultText(app: App | undefined, job: SucceededJob & Pick<AcceptedJob, "credits">): string {
  const { device, slides } = job.result;
  const { cost, remaining } = job.credits;
  const title = `${slides.length} slides for ${device}${app ? ` · ${app.name}` : ""}`;
  const list = slides.map((slide, index) => `${index + 1}. ${slideText(slide)}`);
  return [title, "", ...list, "", `${cost} credits charged, ${remaining} left`, ""].join("\n");
}

/** The service does not document what a slide holds, so nothing is assumed. */
function slideText(slide: Slide): string {
  const fields = Object.entries(slide).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return fields.length > 0 ? fields.join("\n   ") : "(empty)";
}
