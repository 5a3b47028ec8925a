import { textOf } from "./samples.js";

/** The statement in `docs/queues.md` that begins so, as it stands there. */
export function documented(begin: string): string {
  const statements = [...textOf("docs/queues.md").matchAll(/^( *)```sql\n(.*?)^\1```$/gms)].map(
    ([, , text = ""]) => text.trim(),
  );
  const statement = statements.find((text) => text.startsWith(begin));
  if (statement === undefined) throw new Error(`docs/queues.md has no statement that begins with: ${begin}`);
  return statement;
}
