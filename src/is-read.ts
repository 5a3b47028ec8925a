/** Whether a method only reads, so that it costs nothing and can be repeated. */
export function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}
