/** A file of the page, ready to be sent. */
interface Asset {
  headers: Record<string, string>;
  bytes: Buffer;
}

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>screenshot-sets mock</title>
<link rel="icon" href="/_mock/icon.svg">
<link rel="stylesheet" href="/_mock/style.css">
<script type="module" src="/_mock/page.js"></script>
</head>
<body><noscript><p>This page needs JavaScript. The control API works without: see /_mock/openapi.json.</p></noscript></body>
</html>
`;

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/><rect x="7" y="6" width="8" height="20" rx="2" fill="#fff"/><rect x="18" y="6" width="8" height="20" rx="2" fill="#fff" opacity=".6"/></svg>`;

/**
 * Reads a file that the build writes. Its folder is next to this module, both in the package and in the source. Node's
 * modules are not imported, because bundlers for other platforms would try to resolve them.
 */
const built = (name: string) => () =>
  process.getBuiltinModule("node:fs").readFileSync(`${import.meta.dirname}/assets/${name}`, "utf8");

const files: Record<string, { type: string; read: () => string }> = {
  "/": { type: "text/html; charset=utf-8", read: () => html },
  "/_mock/page.js": { type: "text/javascript; charset=utf-8", read: built("page.js") },
  "/_mock/style.css": { type: "text/css; charset=utf-8", read: built("style.css") },
  "/_mock/icon.svg": { type: "image/svg+xml", read: () => icon },
};

/** The file at a path, compressed where that is accepted; undefined if there is none. */
export function asset(path: string, acceptedEncodings = ""): Asset | undefined {
  const file = files[path];
  if (!file) return undefined;
  const headers = { "content-type": file.type, vary: "accept-encoding" };
  const bytes = Buffer.from(file.read());
  if (!/\bgzip\b/.test(acceptedEncodings)) return { headers, bytes };
  const zipped = process.getBuiltinModule("node:zlib").gzipSync(bytes);
  return { headers: { ...headers, "content-encoding": "gzip" }, bytes: zipped };
}
