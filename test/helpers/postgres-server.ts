import { execFile } from "node:child_process";
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.js";

const run = promisify(execFile);

/** A PostgreSQL of its own, which can be killed and started again. It keeps what it said it committed. */
export class PostgresServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "screenshot-sets-postgres-"));
  readonly #environment = { ...process.env, PATH: [process.env.PATH, ...programs()].join(delimiter) };
  #user: string[] = [];

  private constructor(readonly port: number) {}

  /** Starts a server on a free port; undefined if PostgreSQL is not installed. */
  static async start(): Promise<PostgresServer | undefined> {
    const server = new PostgresServer(await freePort());
    try {
      await server.#create();
      await server.restart();
      return server;
    } catch (error) {
      rmSync(server.#folder, { recursive: true, force: true });
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  get url(): string {
    return `postgres://tests@127.0.0.1:${this.port}/postgres`;
  }

  /** PostgreSQL refuses to run as root, and its package brings a user for it. */
  async #create(): Promise<void> {
    if (process.getuid?.() === 0) {
      this.#user = ["runuser", "-u", "postgres", "--"];
      const { stdout } = await run("id", ["-u", "postgres"]);
      chownSync(this.#folder, Number(stdout), 0);
    }
    const options = "--username tests --auth trust --encoding UTF8 --no-locale --no-sync".split(" ");
    await this.#do("initdb", "--pgdata", this.#folder, ...options);
  }

  async restart(): Promise<void> {
    const options = `-h 127.0.0.1 -p ${this.port} -k '' -c max_connections=200`;
    const log = join(this.#folder, "log");
    const start = "--wait --silent start --options".split(" ");
    await this.#do("pg_ctl", "--pgdata", this.#folder, "--log", log, ...start, options);
  }

  /** Ends it as a crash does: open transactions are lost, and so are replies on their way. */
  async kill(): Promise<void> {
    await this.#do("pg_ctl", "--pgdata", this.#folder, "--mode", "immediate", "--silent", "stop");
  }

  async stop(): Promise<void> {
    await this.kill().catch(() => {});
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #do(...words: string[]): Promise<void> {
    const [command = "", ...args] = [...this.#user, ...words];
    // The server keeps the streams of what starts it open, which would never end.
    const [file, ...rest] =
      this.#user.length > 0
        ? [command, ...args.slice(0, 3), "env", `PATH=${this.#environment.PATH}`, ...args.slice(3)]
        : [command, ...args];
    await run(file as string, rest, { env: this.#environment, cwd: "/", timeout: 60_000 });
  }
}

/** Debian keeps the programs of PostgreSQL apart, by version. */
function programs(): string[] {
  const versions = "/usr/lib/postgresql";
  try {
    return readdirSync(versions).map((version) => join(versions, version, "bin"));
  } catch {
    return [];
  }
}
