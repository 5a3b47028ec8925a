import { ScreenshotSets } from "screenshot-sets";

// Nothing here says that the page is dynamic: the client's request does.
export default async function Page() {
  const { status } = await new ScreenshotSets().jobs.get("job_1");
  return <h1>{`The job is ${status}`}</h1>;
}
