import type { Result } from "../part.js";
import { geometricMean, type Outcome } from "../waiting/outcome.js";
import { base, colour, colours, own } from "./look.js";

const [width, height] = [620, 400];

/** The smallest and the greatest value of an axis. */
type Domain = [from: number, to: number];

/** The position of a contestant: the means over all distributions of durations. */
interface Place {
  name: string;
  polls: number;
  lateness: number;
}

/** Plots each contestant's polls against its lateness. Along a dashed line, polls × lateness is constant. */
export function pollsAgainstLateness({ points = [] }: Result): object {
  const places = placesOf(points as unknown as (Outcome & { name: string })[]);
  const polls = widened(places.map((place) => place.polls));
  const lateness = widened(places.map((place) => place.lateness));
  const values = mergedByPlace(places).map((place) => ({ ...place, isOwn: place.name.startsWith(own) }));
  const title = "Waiting for a job: how often it is asked for, and how late its end is seen";
  const common = base(title, width, height);
  return {
    ...common,
    // Otherwise, a label that reaches beyond the axis would move the title.
    title: { ...common.title, frame: "group" },
    // Otherwise, right-aligned text would also get room on its right.
    autosize: "none",
    padding: { left: 74, right: 16, top: 46, bottom: 56 },
    data: [
      { name: "points", values },
      { name: "lines", values: linesOfEqualProduct(polls, lateness) },
    ],
    scales: [
      { name: "x", type: "log", domain: polls, range: "width" },
      { name: "y", type: "log", domain: lateness, range: "height" },
    ],
    axes: axes(),
    marks: [lineMarks(), dotMarks(), lineLabels(polls, lateness), dotLabels()],
  };
}

function placesOf(outcomes: (Outcome & { name: string })[]): Place[] {
  return [...new Set(outcomes.map(({ name }) => name))].map((name) => {
    const its = outcomes.filter((outcome) => outcome.name === name);
    const mean = (read: (outcome: Outcome) => number) => geometricMean(its.map(read));
    return { name, polls: mean(({ looks }) => looks), lateness: mean(({ lateness }) => lateness) };
  });
}

function widened(numbers: number[]): Domain {
  return [Math.min(...numbers) / 1.6, Math.max(...numbers) * 1.6];
}

function linesOfEqualProduct([left, right]: Domain, [low, high]: Domain): object[] {
  return [
    { product: 0.3, labelled: 0.02 },
    { product: 1, labelled: 0.04 },
  ].map(({ product, labelled }) => {
    const [from, to] = [Math.max(left, product / high), Math.min(right, product / low)];
    const ends = { from, to, fromHigh: product / from, toLow: product / to };
    return { ...ends, product, labelled, middle: product / labelled };
  });
}

function axes(): object[] {
  const axis = { grid: true, tickCount: 6, titlePadding: 10 };
  const lateness = { title: "lateness, share of the job's duration", format: "%" };
  return [
    { ...axis, scale: "x", orient: "bottom", title: "polls a job", values: [5, 10, 20, 50, 100] },
    { ...axis, scale: "y", orient: "left", ...lateness, values: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5] },
  ];
}

const at = (x: string, y: string) => ({ x: { scale: "x", field: x }, y: { scale: "y", field: y } });

function lineMarks(): object {
  const enter = {
    ...at("from", "fromHigh"),
    x2: { scale: "x", field: "to" },
    y2: { scale: "y", field: "toLow" },
    stroke: { value: colours.peer },
    strokeDash: { value: [4, 4] },
    strokeOpacity: { value: 0.6 },
  };
  return { type: "rule", from: { data: "lines" }, encode: { enter } };
}

function dotMarks(): object {
  const enter = { ...at("polls", "lateness"), size: { value: 90 }, fill: colour };
  return { name: "dots", type: "symbol", from: { data: "points" }, encode: { enter } };
}

function lineLabels(polls: Domain, lateness: Domain): object {
  const span = ([from, to]: Domain) => Math.log(to / from);
  const degrees = (Math.atan2(height / span(lateness), width / span(polls)) * 180) / Math.PI;
  const enter = {
    ...at("middle", "labelled"),
    dy: { value: 14 },
    angle: { value: degrees },
    align: { value: "center" },
    fontSize: { value: 12 },
    fill: { value: colours.peer },
    text: { signal: "'polls × lateness = ' + datum.product" },
  };
  return { type: "text", from: { data: "lines" }, encode: { enter } };
}

/** Labels point away from the nearer side, to where there is room for them. */
function dotLabels(): object {
  const enter = {
    x: { field: "x" },
    y: { field: "y" },
    dx: { signal: "datum.x > width / 2 ? -9 : 9" },
    align: { signal: "datum.x > width / 2 ? 'right' : 'left'" },
    baseline: { value: "middle" },
    text: { field: "datum.name" },
    fontSize: { value: 12 },
    fill: { signal: `datum.datum.isOwn ? '${colours.own}' : '${colours.text}'` },
  };
  return { type: "text", from: { data: "dots" }, encode: { enter } };
}

/** Merges contestants at the same position into one point. */
function mergedByPlace(places: Place[]): Place[] {
  const merged = new Map<string, Place>();
  for (const place of places) {
    const key = `${place.polls.toPrecision(3)} ${place.lateness.toPrecision(3)}`;
    const there = merged.get(key);
    merged.set(key, there ? { ...there, name: `${there.name}, ${place.name}` } : place);
  }
  return [...merged.values()];
}
