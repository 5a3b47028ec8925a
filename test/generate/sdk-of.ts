import { vi } from "vitest";
import type { GeneratedModule } from "../helpers/generated-module.js";

type Client = typeof import("screenshot-sets");
type Mock = typeof import("screenshot-sets/mock");
type Batch = typeof import("screenshot-sets/batch");

/** The SDK with the generated modules of another document. */
export async function sdkOf(generated: GeneratedModule): Promise<Client & Mock & Batch> {
  const modules = ["operations", "samples", "values"].map((name) => `../../src/generated/${name}.js`);
  vi.resetModules();
  for (const name of modules) vi.doMock(name, () => generated);
  try {
    return {
      ...(await import("screenshot-sets")),
      ...(await import("screenshot-sets/mock")),
      ...(await import("screenshot-sets/batch")),
    };
  } finally {
    for (const name of modules) vi.doUnmock(name);
    vi.resetModules();
  }
}
