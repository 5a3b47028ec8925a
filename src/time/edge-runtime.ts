/**
 * Whether this is the edge runtime of Next.js, where much of Node's is there and throws when it is called
 * (https://github.com/vercel/next.js/blob/v16.0.0/packages/next/src/server/web/sandbox/context.ts).
 */
export const inEdgeRuntime = "EdgeRuntime" in globalThis;
