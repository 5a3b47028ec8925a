/** Takes an error of the system for no error, if it has one of these codes. */
export function unless(...codes: string[]): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (!codes.includes(error.code as string)) throw error;
  };
}
