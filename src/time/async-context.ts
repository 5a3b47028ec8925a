import { inEdgeRuntime } from "./edge-runtime.js";

/** The context of `AsyncLocalStorage` at a point in the program, on Node, Bun, Deno and Workers. */
export interface AsyncContext {
  runInAsyncScope(callback: () => void): void;
}

type AsyncHooks = { AsyncResource: new (type: string) => AsyncContext };

/** Loaded at run time, so that a bundle for a browser, which has no such contexts, needs none of Node's modules. */
const { AsyncResource } = ((!inEdgeRuntime && globalThis.process?.getBuiltinModule?.("node:async_hooks")) ||
  {}) as Partial<AsyncHooks>;

const noContext: AsyncContext = { runInAsyncScope: (callback) => callback() };

/** The async context of the caller. */
export function asyncContext(): AsyncContext {
  return AsyncResource ? new AsyncResource("ScreenshotSetsWait") : noContext;
}
