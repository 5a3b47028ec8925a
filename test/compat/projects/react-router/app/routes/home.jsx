import { ScreenshotSets } from "screenshot-sets";

export async function loader({ request }) {
  const jobId = new URL(request.url).searchParams.get("job");
  const { status } = await new ScreenshotSets().waitForJob(jobId, { signal: request.signal });
  return { status };
}

export default function Home({ loaderData }) {
  return <h1>{`The job has ${loaderData.status}`}</h1>;
}
