import { mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Options } from "tsup";
import { buildInto } from "./built-program.js";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** A sample for an engine, and how a test runs it. */
export interface Engine {
  /** Its file in `examples/engines`. */
  sample: string;
  /** What is written in the sample, and what a test has there instead, mostly because minutes are too long for it. */
  changes: [written: string, instead: string][];
  /** Whether the sample has an `order`, or takes what is in the table. */
  takesOrders: boolean;
  /** Whether the engine keeps the record, instead of the sample's own table. */
  keepsRecord?: boolean;
  /** Whether the engine does not support the oldest Node that the SDK supports. */
  needsNewNode?: boolean;
}

/** Where the samples are. */
export const samples = "examples/engines";

/** Builds a program of a sample on the source of the SDK. It finds the engines in the folder that has them installed. */
export async function buildSample({ sample, changes }: Engine, installedIn: string) {
  const left = new Set(changes);
  const plugin: Plugin = {
    name: "changes",
    setup(esbuild) {
      esbuild.onResolve({ filter: /engine-sample\.js$/ }, () => ({
        path: resolve(`${samples}/${sample}.ts`),
      }));
      esbuild.onLoad({ filter: /(examples.engines|durable.bullmq).[\w-]+\.ts$/ }, ({ path }) => {
        let contents = readFileSync(path, "utf8");
        for (const change of changes) {
          if (!contents.includes(change[0])) continue;
          contents = contents.replaceAll(...change);
          left.delete(change);
        }
        return { contents, loader: "ts" };
      });
    },
  };
  const program = await buildWorker("engine-worker", installedIn, [plugin]);
  if (left.size > 0) throw new Error(`${sample}.ts has no longer ${[...left].map(([text]) => text)}.`);
  return program;
}

/** Builds a program that steps sets in a `postgresStore`, with one of several drivers. */
export const buildStoreWorker = (
  installedIn: string,
  name: "store-worker" | "driver-worker" = "store-worker",
) => buildWorker(name, installedIn, []);

async function buildWorker(name: string, installedIn: string, esbuildPlugins: Plugin[]) {
  const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-engine-"));
  symlinkSync(join(installedIn, "node_modules"), join(folder, "node_modules"), "junction");
  return buildInto(folder, name, { esbuildPlugins });
}
