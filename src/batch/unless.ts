/** Takes an error of the system for no error, if it has this code. */
export function unless(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
