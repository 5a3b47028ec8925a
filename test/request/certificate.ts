import { generateKeyPairSync, sign } from "node:crypto";

/** Generates a key and a self-signed certificate for `localhost`, new for each test. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(objectId("550403"), tagged(0x0c, Buffer.from("localhost")))));
  const algorithm = sequence(objectId("2a8648ce3d040302"));
  const validity = sequence(time("200101000000Z"), time("491231235959Z"));
  const content = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = Buffer.concat([Buffer.of(0), sign("sha256", content, privateKey)]);
  const certificate = sequence(content, algorithm, tagged(0x03, signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

/** A DER value: a tag, the length of the content, and the content. */
function tagged(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...contents: Buffer[]) => tagged(0x30, ...contents);
const set = (...contents: Buffer[]) => tagged(0x31, ...contents);
const integer = (value: number) => tagged(0x02, Buffer.of(value));
const objectId = (hex: string) => tagged(0x06, Buffer.from(hex, "hex"));
const time = (text: string) => tagged(0x17, Buffer.from(text));
