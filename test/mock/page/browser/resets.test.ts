import { createMock } from "screenshot-sets/mock";
import { expect } from "vitest";
import { freePort } from "../../../helpers/free-port.js";
import { asking } from "../../ask.js";
import { servedPage } from "../served-page.js";
import { openPage, test } from "./open-page.js";

test("shows other things under the same ids after a reset", async () => {
  const { page, button, card, press, unfold, mock, createJob } = await openPage({ lifecycle: "instant" });
  for (const caption of ["before", "after"]) {
    mock.nextJob({ outcome: "succeeded", slides: [{ caption }] });
    await createJob();
    // The card of before the reset is unfolded, the other is not.
    await expect.poll(() => button("Slides of job_1").getAttribute("aria-expanded")).toBe("false");
    await unfold("job_1");
    expect(await card("job_1").getByTestId("slide").allTextContents()).toEqual([caption]);
    await press("Details of request 2");
    await page.getByTestId("body").waitFor();
    mock.reset();
  }
  await page.getByText("No jobs yet.").waitFor();
});

test("shows nothing of an account's first life after its reset", async () => {
  const { page, ask, button, card, unfold, reads, mock } = await openPage({ lifecycle: "instant" });
  const account = mock.account();
  const { createJob } = asking(account);
  for (const caption of ["before", "after"]) {
    await reads("request-count", "0 of 0 requests");
    account.nextJob({ outcome: "succeeded", slides: [{ caption }] });
    const jobId = await createJob();
    await reads("request-count", "2 of 2 requests");
    await expect.poll(() => button(`Slides of ${jobId}`).getAttribute("aria-expanded")).toBe("false");
    await unfold(jobId);
    expect(await card(jobId).getByTestId("slide").allTextContents()).toEqual([caption]);
    if (caption === "before") await ask("POST", "accounts/2/reset");
  }
  expect(await page.getByTestId("request").count()).toBe(2);
});

test("shows all requests again where the account that was filtered by is gone after a reset", async () => {
  const { field, reads, mock, look } = await openPage();
  mock.account();
  await reads("request-count", "0 of 0 requests");
  await field("Account").selectOption("2");
  mock.reset();
  await look("job_1");

  await reads("request-count", "1 of 1 requests");
});

test("comes back by itself, also to another mock on the same port, and acts on that", async () => {
  const port = await freePort();
  const { page, connection, field, press, reads, listener, createJob, said } = await openPage({}, {}, port);
  await createJob();
  await page.getByRole("article").waitFor();
  await listener.close();
  await connection("Reconnecting");
  await press("Create key of account 1");
  await page.getByRole("alert").waitFor();

  // One without a page answers what is no stream.
  const without = await createMock().listen({ port });
  for (let time = 1; time <= 2; time++) await page.waitForResponse((response) => response.status() === 404);
  expect(await page.getByRole("article").count()).toBe(1);
  await without.close();
  const second = await servedPage({ allowance: 33 }, { port });

  await connection("Live");
  await reads("credits-left", "33");
  await field("Credits left of account 1").fill("12");
  await press("Set credits of account 1");
  await reads("credits-left", "12");
  expect(second.mock.credits.remaining).toBe(12);
  // Chromium itself notes each answer that is an error.
  expect(said.splice(0).filter((text) => !text.includes("responded with a status of 4"))).toEqual([]);
});
