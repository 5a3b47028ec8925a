import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { servedPage } from "./served-page.js";

/** The states that a stream sends, as they come. */
async function listenTo(pageUrl: string) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const { headers, body } = await fetch(`${pageUrl}_mock/events`, { signal: controller.signal });
  const states: { jobs: { status: string }[]; clock: { now: number }; jobCount: number }[] = [];
  const ended = (async () => {
    let text = "";
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) states.push(JSON.parse(event.replace(/^event: state\ndata: /, "")));
    }
  })().catch(() => {});
  return { headers, states, ended, close: () => controller.abort() };
}

/** Fakes the pace of the streams; what waits in vitest's own ways would move it. */
function holdStreams() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

test("sends the state at once, then at most five a second, and none while nothing changes", async () => {
  holdStreams();
  const { mock, pageUrl, state, createJob } = await servedPage();
  const { headers, states } = await listenTo(pageUrl);
  await until(() => states.length === 1);
  expect(headers.get("content-type")).toBe("text/event-stream");
  expect(states[0]).toEqual(await state());

  for (let ms = 0; ms < 1_000; ms += 10) {
    await mock.clock.advance(1);
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(3_000);
  await until(() => states.at(-1)?.clock.now === mock.clock.now());
  await createJob();
  vi.advanceTimersByTime(210);
  await until(() => states.at(-1)?.jobCount === 1);

  // The first, four within the second, the end of that second, and the job.
  expect(states).toHaveLength(7);
});

test("sends what the time alone has changed, though not the time of the system's clock", async () => {
  holdStreams();
  const { pageUrl, createJob } = await servedPage({
    clock: "system",
    lifecycle: { queued: 300, running: 300, unit: "ms" },
  });
  await createJob();
  const { states } = await listenTo(pageUrl);

  for (const count of [1, 2, 3]) {
    await until(() => states.length >= count);
    vi.advanceTimersByTime(420);
  }

  expect(states.map(({ jobs }) => jobs[0]?.status)).toEqual(["queued", "running", "succeeded"]);
});

test("sends no more than the newest state to a reader that does not keep up", async () => {
  holdStreams();
  const { mock, host, pageUrl } = await servedPage();
  mock.fault({ status: 500, body: "x".repeat(1_000_000) }, { skip: 1e9 });
  const [hostname = "", port] = host.split(":");
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write(`GET /_mock/events HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const { states } = await listenTo(pageUrl);
  await until(() => states.length === 1);

  for (let step = 1; step <= 20; step++) {
    await mock.clock.advance(1_000);
    vi.advanceTimersByTime(210);
    await until(() => states.length > step);
  }
  let received = "";
  socket.setEncoding("utf8").on("data", (text) => {
    received += text;
  });
  socket.resume();
  await until(() => {
    vi.advanceTimersByTime(210);
    return received.includes(`"now":${mock.clock.now()}`);
  });

  expect(received.split("event: state").length - 1).toBeLessThan(10);
});

test("looks at the mock only while somebody listens, and ends the streams with the server", async () => {
  holdStreams();
  const { pageUrl, listener } = await servedPage();
  const [one, two] = [await listenTo(pageUrl), await listenTo(pageUrl)];
  await until(() => one.states.length === 1 && two.states.length === 1);
  const timers = vi.getTimerCount();

  one.close();
  await until(() => vi.getTimerCount() === timers - 1);
  await listener.close();
  await two.ended;

  expect(vi.getTimerCount()).toBe(0);
});
