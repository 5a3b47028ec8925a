/**
 * Records the current document as the released one, so that later changes are rated against it. Part of
 * `npm run release:version`.
 */
import { copyFileSync } from "node:fs";
import { placesIn } from "./apply/places.js";

const { document, released } = placesIn(".");
copyFileSync(document, released);
