import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.js";

/** A Redis of its own, with an append-only file in a folder of its own. It can be killed, and started again. */
export class RedisServer {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "screenshot-sets-redis-"));
  #process: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  /** Starts one on a free port; undefined where `redis-server` is not installed. */
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

  /** Starts it on what the append-only file holds, and resolves when it answers. */
  async restart(): Promise<void> {
    const options = { port: this.port, bind: "127.0.0.1", dir: this.#folder, save: "", appendonly: "yes" };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn("redis-server", [...args, "--appendfsync", "everysec"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
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

  /** Kills it as a power failure would, but for what the system has not written to the disk yet. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.pid === undefined || child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
