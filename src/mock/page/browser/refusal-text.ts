/** The form of the mock's refusals: the field may stand before what was expected, or within it. */
const form = /^(?:The (?:body|query) is invalid\. )?(?:(?:\w+\.)*(\w+): )?Expected (?:`(\w+)` to be )?(.+)$/s;

/**
 * A refusal in the words of the page, with its subject first: "Lifecycle: expected instant, manual, …".
 *
 * @param labels the labels of fields, by the names that the refusal may have for them
 */
export function refusalText(reason: string, subject: string, labels: Record<string, string> = {}): string {
  const [, path, name, expected] = form.exec(reason) ?? [];
  if (expected === undefined) return `${subject}: ${reason}`;
  return `${labels[path ?? name ?? ""] ?? subject}: expected ${expected}`;
}
