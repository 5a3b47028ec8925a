/** Why the operating system refused, in its own words, without the error code and the system call. */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "its folder does not exist";
  if (code === "EISDIR") return "it is a folder";
  return /^[A-Z\d]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

/** For `catch`: wraps an error of the operating system about a file in a sentence, and keeps its code. */
export function wrapError(path: string): (error: unknown) => never {
  return (cause) => {
    const { code } = cause as NodeJS.ErrnoException;
    throw Object.assign(new Error(`Cannot use ${path}: ${systemReason(cause)}.`, { cause }), { code });
  };
}

/** For `catch`: ignores errors of the operating system with these codes. */
export function ignore(...codes: string[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code as string)) throw error;
  };
}
