import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { servedPage } from "./served-page.js";

/** The states that a stream sends, as they come. */
async function listenTo(pageUrl: string) {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await fetch(`${pageUrl}_mock/events`, { signal: controller.signal });
  const states: Record<string, never>[] = [];
  const ended = (async () => {
    let text = "";
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const [, data = "null"] = /^event: state\ndata: (.*)$/.exec(event) ?? [];
        states.push(JSON.parse(data));
      }
    }
  })().catch(() => {});
  return { response, states, ended, close: () => controller.abort() };
}

/** Fakes the pace of the streams; what waits in vitest's own ways would move it. */
function holdStreams() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const patient = { timeout: 20_000, interval: 10 };

test("sends the state at once, and again when it has changed, and only then", async () => {
  const { mock, pageUrl, state, createJob } = await servedPage();
  const { response, states } = await listenTo(pageUrl);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  await vi.waitFor(() => expect(states).toHaveLength(1), patient);
  expect(states[0]).toEqual(await state());

  await createJob();
  await vi.waitFor(() => expect(states.at(-1)).toMatchObject({ jobCount: 1 }), patient);
  await mock.clock.advance(5_000);
  await vi.waitFor(() => expect(states.at(-1)).toMatchObject({ clock: { now: mock.clock.now() } }), patient);

  const texts = states.map((one) => JSON.stringify(one));
  expect(new Set(texts).size).toBe(texts.length);
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

  const statuses = states.map(({ jobs }) => (jobs as unknown as { status: string }[])[0]?.status);
  expect(statuses).toEqual(["queued", "running", "succeeded"]);
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

test("sends at most five states a second, however much happens", async () => {
  holdStreams();
  const { mock, pageUrl } = await servedPage();
  const { states } = await listenTo(pageUrl);
  await until(() => states.length === 1);

  for (let ms = 0; ms < 1_000; ms += 10) {
    await mock.clock.advance(1);
    vi.advanceTimersByTime(10);
  }

  await until(() => states.length > 4);
  expect(states).toHaveLength(5);
});

test("looks at the mock only while somebody listens", async () => {
  holdStreams();
  const { pageUrl } = await servedPage();
  const one = await listenTo(pageUrl);
  const two = await listenTo(pageUrl);
  await until(() => one.states.length === 1 && two.states.length === 1);
  expect(vi.getTimerCount()).toBeGreaterThan(0);

  one.close();
  two.close();

  await until(() => vi.getTimerCount() === 0);
});

test("ends the stream with the server, and leaves nothing that keeps the process alive", async () => {
  const { listener, pageUrl } = await servedPage();
  const { states, ended } = await listenTo(pageUrl);
  await vi.waitFor(() => expect(states).toHaveLength(1), patient);

  await listener.close();

  await ended;
  await vi.waitFor(
    () =>
      expect(process.getActiveResourcesInfo().filter((name) => /^TCPServer|^TCPSocket/.test(name))).toEqual(
        [],
      ),
    patient,
  );
});
