import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, chmodSync, constants, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { freePort } from "./free-port.js";
import { temporaryFolder } from "./temporary-folder.js";

/** The program, if it is installed. Debian keeps it where only root looks. */
export function findPgBouncer(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, "pgbouncer")).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Puts a PgBouncer in transaction mode in front of a server, for one test; returns its port. */
export async function pgBouncer(program: string, serverPort: number): Promise<number> {
  const port = await freePort();
  const folder = temporaryFolder();
  // It refuses to run as root.
  chmodSync(folder, 0o755);
  const config = join(folder, "pgbouncer.ini");
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: "transaction",
    default_pool_size: 3,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const database = `[databases]\npostgres = host=127.0.0.1 port=${serverPort} user=tests\n`;
  writeFileSync(config, `${database}[pgbouncer]\n${lines.join("\n")}\n`);
  const asUser = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
  const [command = "", ...args] = [...asUser, program, "-q", config];
  const child = spawn(command, args, { stdio: "ignore" });
  onTestFinished(() => end(child));
  while (!(await isListening(port))) await setTimeout(20);
  return port;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
