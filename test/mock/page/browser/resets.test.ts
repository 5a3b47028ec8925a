import { createMock } from "screenshot-sets/mock";
import { expect } from "vitest";
import { freePort } from "../../../helpers/free-port.js";
import { servedPage } from "../served-page.js";
import { connection, field, openPage, patient, press, reads, test, unfold } from "./open-page.js";

/** What Chromium itself notes of an answer that is an error. */
const refusal = /the server responded with a status of 4/;

test("shows other things under the same ids after a reset", async () => {
  const { page, mock, createJob, look } = await openPage({ lifecycle: "instant" });
  const slide = page.getByRole("list", { name: "Slides of job_1" }).getByTestId("slide");
  const button = page.getByRole("button", { name: "Slides of job_1" });
  for (const caption of ["before", "after"]) {
    mock.nextJob({ outcome: "succeeded", slides: [{ caption }] });
    await createJob();
    await look("job_1");
    // The card of before the reset is unfolded, the other is not.
    await expect.poll(() => button.getAttribute("aria-expanded"), patient).toBe("false");
    await unfold(page, "job_1");
    expect(await slide.allTextContents()).toEqual([caption]);
    await press(page, "Details of request 2");
    await page.getByTestId("body").waitFor();
    mock.reset();
  }
  await page.getByText("No jobs yet.").waitFor();
});

test("comes back by itself, also to another mock on the same port, and acts on that", async () => {
  const port = await freePort();
  const { page, listener, createJob, said } = await openPage({}, {}, port);
  await createJob();
  await page.getByRole("article").waitFor();
  await listener.close();
  await connection(page, "Reconnecting");
  await press(page, "Create key of account 1");
  await page.getByRole("alert").waitFor();

  // One without a page answers what is no stream.
  const without = await createMock().listen({ port });
  for (let time = 1; time <= 2; time++) await page.waitForResponse((response) => response.status() === 404);
  expect(await page.getByRole("article").count()).toBe(1);
  await without.close();
  const second = await servedPage({ allowance: 33 }, { port });

  await connection(page, "Live");
  await reads(page, "credits-left", "33");
  await field(page, "Credits left of account 1").fill("12");
  await press(page, "Set credits of account 1");
  await reads(page, "credits-left", "12");
  expect(second.mock.credits.remaining).toBe(12);
  expect(said.splice(0).filter((text) => !refusal.test(text))).toEqual([]);
});
