import { inEdgeRuntime } from "./edge-runtime.js";

/** What `AsyncLocalStorage` of Node, Bun, Deno and Workers knows of a place in the program. */
interface AsyncContext {
  runInAsyncScope(callback: () => void): void;
}

type AsyncHooks = { AsyncResource: new (type: string) => AsyncContext };

/** Asked for at run time, so that a bundle for a browser, which has no such contexts, needs no module of Node's. */
const { AsyncResource } = ((!inEdgeRuntime && globalThis.process?.getBuiltinModule?.("node:async_hooks")) ||
  {}) as Partial<AsyncHooks>;

const noContext: AsyncContext = { runInAsyncScope: (callback) => callback() };

/** The async context of the caller. */
export function asyncContext(): AsyncContext {
  return AsyncResource ? new AsyncResource("ScreenshotSetsWait") : noContext;
}
