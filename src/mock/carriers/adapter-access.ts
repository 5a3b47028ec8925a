import type { Engine } from "../engine/call.js";
import type { Ask } from "./mock-fetch.js";

/** What the adapters to msw and HTTP use of a mock, besides its public members. */
export interface AdapterAccess {
  ask: Ask;
  engine: Engine;
}

/** Of the registry, because the entry points are bundled apart and have no module in common. */
const access = Symbol.for("screenshot-sets.mock.access");

/** Gives a mock what its adapters use, out of sight. */
export function grantAccess<Mock extends object>(mock: Mock, granted: AdapterAccess): Mock {
  return Object.defineProperty(mock, access, { value: granted });
}

/** @throws TypeError when `mock` does not come from `createMock` */
export function accessTo(mock: object): AdapterAccess {
  const granted: AdapterAccess | undefined = Reflect.get(mock, access);
  if (granted) return granted;
  throw new TypeError("Expected a mock made by `createMock`");
}
