import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.js";

/** A separate Redis with an append-only file in its own folder. It can be killed and restarted. */
export class RedisServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "screenshot-sets-redis-"));
  #process: ChildProcess | undefined;

  private constructor(readonly port: number) {}

  /** Starts a server on a free port; undefined if `redis-server` is not installed. */
  static async start(): Promise<RedisServer | undefined> {
    const server = new RedisServer(await freePort());
    try {
      await server.restart();
      return server;
    } catch (error) {
      await server.stop();
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server with the data in its append-only file, and resolves when it accepts connections. */
  async restart(): Promise<void> {
    const options = { port: this.port, bind: "127.0.0.1", dir: this.#folder, save: "", appendonly: "yes" };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#process = child;
    let log = "";
    await new Promise<void>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => reject(new Error(`redis-server ended with ${code}: ${log}`)));
      child.stdout.on("data", (chunk) => {
        log += chunk;
        if (/Ready to accept connections/i.test(log)) resolve();
      });
    });
  }

  /** Kills the server as a power failure would, except that writes buffered by the system are not lost. */
  async kill(): Promise<void> {
    const exited = this.#process && once(this.#process, "exit");
    if (this.#process?.kill("SIGKILL")) await exited;
    this.#process = undefined;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
