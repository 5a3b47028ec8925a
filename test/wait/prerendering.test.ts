import { expect, test, vi } from "vitest";
import { waitScene } from "../helpers/wait-scene.js";

test("a wait draws no random number before its first poll, which Next.js refuses in a page", async () => {
  const random = vi.spyOn(Math, "random");
  const drawn: number[] = [];
  const scene = waitScene(({ count }) => {
    drawn.push(random.mock.calls.length);
    return count < 2 ? "running" : "succeeded";
  });
  await scene.client.waitForJob("job-1");
  expect(drawn[0]).toBe(0);
});
