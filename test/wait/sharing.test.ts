import { expect, test } from "vitest";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";
import { everySecond, waitScene } from "../helpers/wait-scene.js";

test("polls a job once for all who wait for it, each in their own way", async () => {
  const scene = waitScene(({ at }) => (at < 1500 ? "queued" : at < 3500 ? "running" : "succeeded"));
  const seen: string[] = [];
  const [first, second, watched] = await Promise.all([
    scene.client.waitForJob("job-1", everySecond),
    scene.client.waitForJob("job-1", { ...everySecond, onUpdate: ({ status }) => seen.push(status) }),
    collect(scene.client.watchJob("job-1", everySecond)),
  ]);
  expect(scene.times()).toEqual([0, 1000, 2000, 3000, 4000]);
  expect(second).toEqual(first);
  expect(seen).toEqual(["queued", "running", "succeeded"]);
  expect(watched.map(({ status }) => status)).toEqual(seen);
});

test.each([
  ["failed", "JobFailedError"],
  [{ status: 403, headers: { "x-request-id": "r1" } }, "PermissionDeniedError"],
] as const)(
  "gives each who shares a poll an error of their own, with the same contents: %j",
  async (reply, name) => {
    const scene = waitScene(() => reply);
    const [one, other] = await Promise.all([1, 2].map(() => rejection(scene.client.waitForJob("job-1"))));
    expect(one).toMatchObject({ name, jobId: "job-1" });
    expect(other).not.toBe(one);
    expect({ ...other, message: other.message }).toEqual({ ...one, message: one.message });
    expect(scene.polls).toHaveLength(1);
  },
);

test("polls at the smallest delay that one of them asks for, as long as that one waits", async () => {
  const scene = waitScene(() => "running");
  const slow = { minDelayMs: 4000, maxDelayMs: 4000, timeoutMs: 20_000 };
  const quick = { minDelayMs: 500, maxDelayMs: 500, signal: scene.abortAt(6700) };
  scene.at(5000, () => scene.client.waitForJob("job-1", quick).catch(() => {}));
  await rejection(scene.client.waitForJob("job-1", slow));
  expect(scene.times()).toEqual([0, 4000, 5000, 5500, 6000, 6500, 10_500, 14_500, 19_500]);
});

test("keeps its pace when somebody joins who is in less of a hurry", async () => {
  const scene = waitScene(() => "running");
  const slow = { minDelayMs: 10_000, maxDelayMs: 10_000 };
  const quick = rejection(scene.client.waitForJob("job-1", { ...everySecond, timeoutMs: 5000 }));
  scene.at(100, () => scene.client.waitForJob("job-1", slow).catch(() => {}));
  await quick;
  expect(scene.times()).toEqual([0, 1000, 2000, 3000, 4500]);
});

test("lets a newcomer's first poll wait for its shortest delay where the others want none but a last one", async () => {
  const scene = waitScene(() => "running");
  const rare = { minDelayMs: 20_000, maxDelayMs: 20_000, timeoutMs: 10_000 };
  const patient = rejection(scene.client.waitForJob("job-1", rare));
  scene.at(100, () => scene.client.waitForJob("job-1", { ...rare, minDelayMs: 300 }).catch(() => {}));
  await patient;
  expect(scene.times().slice(0, 2)).toEqual([0, 300]);
});

test("lets a newcomer's first poll wait for its shortest delay after the last answer, and for a Retry-After", async () => {
  const answers = [{ headers: {} }, { headers: { "retry-after": "5" } }, { headers: {} }];
  const body = { id: "job-1", status: "running", result: null, error: null };
  const scene = waitScene(({ count }) =>
    count < 3 ? { status: 200, body, ...answers[count] } : "succeeded",
  );
  const slow = { minDelayMs: 10_000, maxDelayMs: 10_000 };
  const waits = [scene.client.waitForJob("job-1", slow)];
  scene.at(100, () => waits.push(scene.client.waitForJob("job-1", { minDelayMs: 300, maxDelayMs: 10_000 })));
  scene.at(1000, () => waits.push(scene.client.waitForJob("job-1", slow)));
  await waits[0];
  await Promise.all(waits);
  const [first, second, third] = scene.times();
  expect([first, second, third]).toEqual([0, 300, 5300]);
});

test("keeps each to its own deadline, and polls on for the others", async () => {
  const scene = waitScene(({ at }) => (at < 8000 ? "running" : "succeeded"));
  const short = rejection(scene.client.waitForJob("job-1", { ...everySecond, timeoutMs: 2500 }));
  const long = scene.client.waitForJob("job-1", { ...everySecond, timeoutMs: 60_000 });
  const error = await short;
  expect(scene.now()).toBe(2500);
  expect(error).toMatchObject({ name: "JobTimeoutError", elapsedMs: 2500, polls: 4 });
  expect((await long).status).toBe("succeeded");
  // The last poll of the short one is news for the other, too.
  expect(scene.times().slice(0, 6)).toEqual([0, 1000, 2000, 2250, 3250, 4250]);
  await scene.expectNothingLeft();
});

test("polls on for one when the other is aborted, and gives up the request when the last one leaves", async () => {
  const scene = waitScene(({ count }) => (count < 3 ? "running" : "hang"));
  const signals = [scene.abortAt(1500, "first"), scene.abortAt(3500, "second")];
  const waits = signals.map((signal) => scene.client.waitForJob("job-1", { ...everySecond, signal }));
  expect(await Promise.all(waits.map(rejection))).toEqual(["first", "second"]);
  expect(scene.polls).toMatchObject([{ at: 0 }, { at: 1000 }, { at: 2000 }, { at: 3000, endedAt: 3500 }]);
  await scene.expectNothingLeft(...signals);
});

test("gives a wait that begins while another's last answer is in flight that answer", async () => {
  const scene = waitScene(() => "succeeded", { takesMs: 1000 });
  const waits = [scene.client.waitForJob("job-1")];
  scene.at(900, () => waits.push(scene.client.waitForJob("job-1")));
  await waits[0];
  expect(await waits[1]).toMatchObject({ status: "succeeded" });
  expect(scene.polls).toHaveLength(1);
  expect(scene.now()).toBe(1000);
  await scene.expectNothingLeft();
});

test("keeps the request in flight for a newcomer when the one who sent it meets its deadline", async () => {
  const scene = waitScene(() => "succeeded", { takesMs: 1000 });
  const first = rejection(scene.client.waitForJob("job-1", { timeoutMs: 950 }));
  let second: Promise<unknown> | undefined;
  scene.at(900, () => {
    second = scene.client.waitForJob("job-1");
  });
  expect((await first).name).toBe("JobTimeoutError");
  expect(await second).toMatchObject({ status: "succeeded" });
  expect(scene.polls).toHaveLength(1);
});

test("ends a wait at once that begins while the service asks to wait beyond its deadline", async () => {
  const scene = waitScene(() => ({ status: 503, headers: { "retry-after": "3600" } }));
  const signal = scene.abortAt(1000);
  const first = rejection(scene.client.waitForJob("job-1", { timeoutMs: 7_200_000, signal }));
  await scene.clock.sleep(100);
  const second = await rejection(scene.client.waitForJob("job-1", { timeoutMs: 1500 }));
  expect(second).toMatchObject({ name: "ServerError", jobId: "job-1", retryAfterMs: 3_600_000 });
  expect([scene.now(), await first]).toEqual([100, "enough"]);
  expect(scene.polls).toHaveLength(1);
});

test("ends each wait as the job did, whatever another's onUpdate makes of that job", async () => {
  const scene = waitScene(() => "succeeded");
  const onUpdate = (job: object) => Object.assign(job, { status: "failed" });

  const waits = [{ onUpdate }, {}].map((options) => scene.client.waitForJob("job-1", options));

  expect(await Promise.all(waits)).toHaveLength(2);
});

test("counts for a newcomer only the polls that it shares", async () => {
  const scene = waitScene(() => "running", { takesMs: 400 });
  const wait = (timeoutMs: number) =>
    rejection(scene.client.waitForJob("job-1", { ...everySecond, timeoutMs })).then(({ polls }) => polls);
  const polls = [wait(5000)];
  // While the second poll is in flight, and after it.
  scene.at(1600, () => polls.push(wait(3400)));
  scene.at(2000, () => polls.push(wait(3000)));
  await polls[0];
  expect(scene.times()).toEqual([0, 1400, 2800, 4500]);
  expect(await Promise.all(polls)).toEqual([4, 3, 2]);
});

test("begins anew after the end of a job, with a poll of its own", async () => {
  const scene = waitScene(() => "succeeded");
  await scene.client.waitForJob("job-1");
  await scene.client.waitForJob("job-1");
  expect(scene.polls).toHaveLength(2);
});

test("takes a wait that is begun in another's onUpdate", async () => {
  const scene = waitScene(({ count }) => (count === 0 ? "queued" : "succeeded"));
  const inner: Promise<unknown>[] = [];
  await scene.client.waitForJob("job-1", {
    ...everySecond,
    onUpdate: () => inner.push(scene.client.waitForJob("job-1", everySecond)),
  });
  expect((await Promise.all(inner)).length).toBe(2);
  await scene.expectNothingLeft();
});
