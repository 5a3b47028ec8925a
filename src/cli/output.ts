/**
 * Whoever reads the output may leave (`| head`): that ends the output, not the command, which may be waiting for what
 * was paid for. Other failures reach those who wrote.
 */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

/** Resolves once standard output has taken the text, or nobody reads it any longer. */
export function printResult(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error && (error as NodeJS.ErrnoException).code !== "EPIPE") reject(error);
      else resolve();
    });
  });
}

/** A line for people. */
export function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
