import { basename, dirname } from "node:path";

// The same app is also built in a folder of that name, below the one with the packages.
const here = import.meta.dirname;
const cacheComponents = basename(here) === "cache-components";

export default { cacheComponents, turbopack: { root: cacheComponents ? dirname(here) : here } };
