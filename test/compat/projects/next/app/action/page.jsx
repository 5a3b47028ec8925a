import { redirect } from "next/navigation";
import { ScreenshotSets } from "screenshot-sets";

async function createSet(form) {
  "use server";
  const client = new ScreenshotSets();
  const { appId } = await client.apps.create({ iosUrl: form.get("iosUrl") });
  const { jobId } = await client.screenshots.create({ appId, device: "iphone-69" });
  redirect(`/?created=${jobId}`);
}

export default function Page() {
  return (
    <form action={createSet}>
      <input name="iosUrl" />
    </form>
  );
}
