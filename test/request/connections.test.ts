import { ConnectionError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { expectElapsed, outcomeOf } from "../helpers/outcome-of.js";
import { closedPort, rawServer } from "../helpers/raw-server.js";

describe.each(["GET", "POST"] as const)("of a %s", (method) => {
  test("a connection that fails is tried again, as nothing was sent", async () => {
    const baseUrl = `http://127.0.0.1:${await closedPort()}/api/v1`;
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, charged: "no", code: "ECONNREFUSED" });
    expectElapsed(elapsedMs, 0, 2);
  });

  test("a name whose addresses all refuse is tried again, as nothing was sent", async () => {
    // Two addresses give an `AggregateError`, where the machine has them.
    const baseUrl = `http://localhost:${await closedPort()}/api/v1`;
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, charged: "no", code: "ECONNREFUSED" });
    expectElapsed(elapsedMs, 0, 2);
  });

  test("a connection that is reset as it is made is tried again, as nothing was sent", async () => {
    const server = await rawServer(
      () => {},
      (socket) => socket.resetAndDestroy(),
    );
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, charged: "no", code: "ECONNRESET" });
    expect((error.cause.cause ?? error.cause).syscall).toBe("connect");
    expect(server.connections).toBe(3);
  });

  test("a name that does not resolve is tried again, as nothing was sent", async () => {
    // No resolver asks the network for a name that DNS cannot hold.
    const baseUrl = `https://${"a".repeat(64)}.invalid/api/v1`;
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({
      attempts: 3,
      charged: "no",
      code: expect.stringMatching(/^(ENOTFOUND|EAI_)/),
    });
    expectElapsed(elapsedMs, 0, 2);
  });
});
