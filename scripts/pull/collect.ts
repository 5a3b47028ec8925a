import { Refusal } from "../refusal.js";

/** All bytes of a stream; refused once they are more than `largest`, however many more would come. */
export async function collect(chunks: AsyncIterable<Uint8Array>, largest: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > largest) throw tooLarge(largest);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

export function tooLarge(largest: number): Refusal {
  return new Refusal(
    "too-large",
    `Failed to read the document: it is larger than ${largest / 1024 / 1024} MB. Please give the service's OpenAPI document.`,
  );
}
