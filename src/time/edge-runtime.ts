/**
 * Whether this is the edge runtime of Next.js, where many of Node's functions exist but throw when they are called
 * (https://github.com/vercel/next.js/blob/v16.0.0/packages/next/src/server/web/sandbox/context.ts).
 */
export const inEdgeRuntime = "EdgeRuntime" in globalThis;
