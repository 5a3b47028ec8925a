import { type CreateScreenshotsParams, type Job, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

// Exports that leave their types to the compiler. Above each stands the type that its declaration is to have.

const given = {} as CreateScreenshotsParams;

/** Mock */
export const mock = createMock();
/** ScreenshotSets */
export const client = new ScreenshotSets(mock.clientOptions);
/** (iosUrl: string) => Promise<App> */
export const createApp = (iosUrl: string) => client.apps.create({ iosUrl });
/** () => Promise<AcceptedJob> */
export const accept = () => client.screenshots.create(given);
/** () => Promise<Credits> */
export const creditsOf = async () => (await accept()).credits;
/** () => Promise<PlannedSet> */
export const plan = () => client.screenshots.createAndWait(given);
/** () => Promise<Job> */
export const look = () => client.jobs.get("job_1");
/** () => Promise<SucceededJob> */
export const wait = () => client.waitForJob("job_1");
/** AsyncIterable<Job> */
export const changes = client.watchJob("job_1");
/** (job: Job) => FailedJob | undefined */
export const failed = (job: Job) => (job.status === "failed" ? job : undefined);
/** () => Promise<JobResult> */
export const resultOf = async () => (await wait()).result;
/** () => Promise<Slide[]> */
export const slidesOf = async () => (await wait()).result.slides;
/** Promise<SucceededJob> */
export const waiting = client.waitForJob("job_1");
/** () => Promise<SucceededJob[]> */
export const jobs = async () => [await wait()];
/** Device */
export const device = given.device;
