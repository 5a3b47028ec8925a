/**
 * Puts a text on the clipboard.
 *
 * @throws Error if the browser offers none to the page, as it does to pages of other machines without HTTPS
 */
export async function copy(text: string): Promise<void> {
  if (!navigator.clipboard) {
    throw new Error("The browser lets a page copy only from localhost or over HTTPS.");
  }
  await navigator.clipboard.writeText(text);
}
