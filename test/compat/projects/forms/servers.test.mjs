import assert from "node:assert/strict";
import { test } from "node:test";
import { devices } from "screenshot-sets";
import { client, mock } from "./out/client.js";
import * as hono from "./out/hono.js";
import * as nest from "./out/nest.js";
import * as trpc from "./out/trpc.js";

// What a refusal says of the device. By default tRPC leaves the field's name to `error.cause`.
const servers = { Hono: [hono, /"device"/], Nest: [nest, /device: /], tRPC: [trpc, /BAD_REQUEST/] };

for (const [name, [{ post }, words]] of Object.entries(servers)) {
  test(`${name} refuses a wrong value, and sends what is documented of others`, async () => {
    mock.reset();
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const planned = () => mock.requests({ operation: "createScreenshots" }).map(({ body }) => body);
    const set = { appId, device: devices[0], count: 3 };

    const refused = await post(JSON.stringify({ ...set, device: "iphone-1" }));
    assert.equal(refused.status, 400);
    const told = await refused.text();
    assert.match(told, words);
    assert.ok(told.includes(devices[0]));
    assert.deepEqual(planned(), []);

    const accepted = await post(JSON.stringify({ ...set, webhookUrl: "https://visitor.example" }));
    assert.match(await accepted.text(), /"jobId":"job_1"/);
    assert.deepEqual(planned(), [set]);
  });
}
