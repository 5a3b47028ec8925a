import type { TestProject } from "vitest/node";
import { leaveOut } from "./leave-out.js";
import { RedisServer } from "./redis-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of a Redis; undefined if there is none. */
    redisUrl: string | undefined;
  }
}

let server: RedisServer | undefined;

/** Provides the tests with the Redis at `REDIS_URL` or else, if Redis is installed, with their own. */
export async function setup(project: TestProject): Promise<void> {
  const given = process.env.REDIS_URL;
  server = given ? undefined : await RedisServer.start();
  const url = given ?? server?.url;
  if (url === undefined) leaveOut(project, "there is no REDIS_URL, and redis-server is not installed");
  project.provide("redisUrl", url);
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
