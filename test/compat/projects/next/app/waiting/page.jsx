import { ScreenshotSets } from "screenshot-sets";

export default async function Page() {
  const { status } = await new ScreenshotSets().waitForJob("job_1");
  return <h1>{`The job has ${status}`}</h1>;
}
