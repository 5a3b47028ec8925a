import { createRequire } from "node:module";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { installNode, preparedBefore } from "../compat/prepare.js";
import { nodesOf, projects } from "../compat/projects.js";
import { leaveOut } from "./leave-out.js";
import { findPgBouncer } from "./pgbouncer.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Undefined if something is missing. */
    engines: Engines | undefined;
  }
}

/** What the tests of the samples for engines need. */
export interface Engines {
  databaseUrl: string;
  /** The folder that has the engines installed. */
  folder: string;
  /** A Node that all engines support. */
  newNode: string;
  /** The program of PgBouncer, if it is installed. */
  pgBouncer: string | undefined;
}

/** A client of the package `postgres`, as far as tests use it. */
export interface Sql {
  <Row>(text: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>;
  unsafe(text: string): Promise<unknown>;
  json(value: unknown): unknown;
  end(): Promise<void>;
}

/** Connects to a database with the client that the engines' folder has installed. */
export function connect(folder: string, databaseUrl: string, connections = 2): Sql {
  const postgres = createRequire(join(folder, "package.json"))("postgres");
  return postgres(databaseUrl, {
    max: connections,
    onnotice: () => {},
    connection: { application_name: "tests" },
  });
}

/** Provides the tests with the PostgreSQL at `DATABASE_URL`, or else on 127.0.0.1:5432, and with the engines. */
export async function setup(project: TestProject): Promise<void> {
  const found = await find();
  if (typeof found === "string") {
    leaveOut(project, found);
  } else if (found.pgBouncer === undefined) {
    if (process.env.REQUIRE_SERVICES) throw new Error("PgBouncer is not installed.");
    process.stdout.write("Left out the tests behind PgBouncer: it is not installed.\n");
  }
  project.provide("engines", typeof found === "string" ? undefined : found);
}

/** What the tests need, or what is missing. */
async function find(): Promise<Engines | string> {
  const project = projects.find(({ name }) => name === "engines");
  const folder = preparedBefore("engines");
  if (project === undefined || folder === undefined) {
    return "the engines are not installed, which `npm run test:compat -- engines` does";
  }
  const databaseUrl = process.env.DATABASE_URL ?? (await findPostgres(folder));
  if (databaseUrl === undefined) return "there is no DATABASE_URL, and 127.0.0.1:5432 lets nobody in";
  const newNode = installNode(nodesOf(project)[0] as string);
  return { databaseUrl, folder, newNode, pgBouncer: findPgBouncer() };
}

/** The PostgreSQL of this machine, if it asks for no password. */
async function findPostgres(folder: string): Promise<string | undefined> {
  for (const role of [userInfo().username, "postgres"]) {
    const url = `postgres://${role}@127.0.0.1:5432/postgres`;
    const sql = connect(folder, url);
    const isIn = await sql`select 1`.then(
      () => true,
      () => false,
    );
    await sql.end();
    if (isIn) return url;
  }
  return undefined;
}
