/** How the service wants its keys, for messages (section 5 of its document). */
export const acceptedHeaders = "`Authorization: Bearer <API_KEY>` or `x-api-key: <API_KEY>`";

/** The key that a request presents in either header; undefined where it has none. */
export function presentedKey(header: (name: string) => string | null | undefined): string | undefined {
  const authorization = header("authorization");
  const bearer = authorization ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
  return bearer ?? (header("x-api-key")?.trim() || undefined);
}
