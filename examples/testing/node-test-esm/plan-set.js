/** The code under test: a function of your own that takes a client. */
export async function planSet(client, iosUrl) {
  const { appId } = await client.apps.create({ iosUrl });
  const job = await client.screenshots.createAndWait({ appId, device: "iphone-69", count: 3 });
  return job.result.slides;
}
