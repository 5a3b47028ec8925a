import { binStartMs, Durations } from "../../src/wait/learn/durations.js";
import { LearnedPlan } from "../../src/wait/learn/learned-plan.js";
import { usualDelays } from "../../src/wait/poll-delay.js";
import { mixed } from "../waiting/durations.js";
import { randomFrom } from "../waiting/random.js";
import { base, colours } from "./look.js";

const [fastMs, slowMs] = [5_000, 20_000];
const [width, height, longestMs] = [620, 220, 26_000];
const [without, learned] = ["polls without learning", "polls after 100 jobs"];

/** Shows when a plan polls after it has seen jobs of about 5 s and about 20 s, above the durations it remembers. */
export function placedPolls(): object {
  const random = randomFrom(1);
  const [plan, durations] = [new LearnedPlan(), new Durations()];
  for (let job = 0; job < 100; job++) {
    const [before, after] = bracket(plan, mixed(0.5, fastMs, slowMs)(random), random);
    plan.learn(before, after);
    durations.add(before, after);
  }
  const shares = [...durations.shares()].map((share, bin) => {
    const [from, to] = [binStartMs(bin), binStartMs(bin + 1)];
    return { seconds: from / 1000, share: share / (to - from) };
  });
  const ticks = [
    ...pollsOf(new LearnedPlan()).map((ms) => ({ seconds: ms / 1000, row: without, fill: colours.peer })),
    ...pollsOf(plan).map((ms) => ({ seconds: ms / 1000, row: learned, fill: colours.own })),
  ];
  return {
    ...base("When jobs of about 5 s and of about 20 s are polled", width, height),
    data: [
      { name: "shares", values: shares.filter(({ seconds }) => seconds * 1000 <= longestMs) },
      { name: "ticks", values: ticks },
    ],
    scales: [
      { name: "x", type: "linear", domain: [0, longestMs / 1000], range: "width" },
      { name: "y", type: "linear", domain: { data: "shares", field: "share" }, range: [height, 80] },
      { name: "row", type: "band", domain: [without, learned], range: [0, 70], padding: 0.25 },
    ],
    axes: [
      { scale: "x", orient: "bottom", title: "seconds since the job was accepted" },
      { scale: "row", orient: "left", ticks: false, domain: false, labelPadding: 8, labelLimit: 240 },
    ],
    marks: [shareMarks(), tickMarks()],
  };
}

/** The polls between which a job of this duration was seen to end. */
function bracket(
  plan: LearnedPlan,
  durationMs: number,
  random: () => number,
): [before: number, after: number] {
  let before = 0;
  for (;;) {
    const after = before + plan.delayMs(before, 0.9 + 0.2 * random(), usualDelays);
    if (after >= durationMs) return [before, after];
    before = after;
  }
}

/** The times of the polls of a job that runs for longer than the picture shows. */
function pollsOf(plan: LearnedPlan): number[] {
  const times: number[] = [];
  for (let now = 0; ; times.push(now)) {
    now += plan.delayMs(now, 1, usualDelays);
    if (now > longestMs) return times;
  }
}

function shareMarks(): object {
  const enter = {
    x: { scale: "x", field: "seconds" },
    y: { scale: "y", field: "share" },
    y2: { scale: "y", value: 0 },
    fill: { value: colours.own },
    fillOpacity: { value: 0.25 },
  };
  return { type: "area", from: { data: "shares" }, encode: { enter } };
}

function tickMarks(): object {
  const enter = {
    x: { scale: "x", field: "seconds", offset: -1 },
    width: { value: 2 },
    y: { scale: "row", field: "row" },
    height: { scale: "row", band: 1 },
    fill: { field: "fill" },
  };
  return { type: "rect", from: { data: "ticks" }, encode: { enter } };
}
