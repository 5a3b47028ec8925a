import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** How often it is looked whether npm is still there, in milliseconds. */
const lookMs = 1000;

/**
 * Ends this process as by SIGTERM once the npm that started it has ended. npm (11) passes neither SIGTERM nor SIGHUP on, and
 * its shell passes nothing on, so a batch would go on ordering, unseen. npm ends with its shell, so only npm is watched, and
 * what a person puts into the background stays.
 */
export function endWithNpm(): void {
  const { npm_execpath, npm_command } = process.env;
  if (process.platform === "win32" || !npm_execpath || !npm_command) return;
  const watched = npmAbove();
  const timer = setInterval(() => {
    if (watched.every(isThere)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, lookMs);
  timer.unref();
}

/** Each npm above this process, between which there are only their shells. */
function npmAbove(): number[] {
  const found: number[] = [];
  try {
    for (let pid = process.ppid, isBelowShell = false; ; ) {
      const { name, parent } = processOf(pid);
      if (name === "npm") found.push(pid);
      else if (isBelowShell || !name.endsWith("sh")) return found;
      isBelowShell = name !== "npm";
      pid = parent;
    }
  } catch {
    // That process has ended, or the system shows none.
    return found;
  }
}

/** The first word of a process's title, which npm sets to the command that it runs, and the process's parent. */
function processOf(pid: number): { name: string; parent: number } {
  // Small images have no `ps`, and other systems have no such file.
  const found =
    process.platform === "linux"
      ? /\((?<title>.*)\) \S (?<parent>\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))
      : /(?<parent>\d+) +(?<title>.*)/.exec(
          execFileSync("ps", ["-o", "ppid=,args=", "-p", `${pid}`], { encoding: "utf8" }),
        );
  const { title = "", parent } = found?.groups ?? {};
  return { name: title.replace(/ .*/s, ""), parent: Number(parent) };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
