import type * as sets from "screenshot-sets";
import { ApiError, devices, ScreenshotSets } from "screenshot-sets";
import { type SetState, type StepOptions, type StepResult, stepSet } from "screenshot-sets/durable";
import { createMock, type Mock, type MockOptions } from "screenshot-sets/mock";

// A module of a project with `isolatedDeclarations`, where each export says its type by a public name.

export const options: sets.ClientOptions = { timeoutMs: 10_000 };
export const mockOptions: MockOptions = { allowance: 20 };
export const client: ScreenshotSets = new ScreenshotSets(options);
export const mock: Mock = createMock(mockOptions);
export const device: sets.Device = devices[0];

export class Sets extends ScreenshotSets {
  plan(params: sets.CreateScreenshotsParams, own?: sets.CreateAndWaitOptions): Promise<sets.PlannedSet> {
    return this.screenshots.createAndWait(params, own);
  }
}

export class QuotaError extends ApiError {
  readonly device: sets.Device = device;
}

export function createApp(params: sets.CreateAppParams, own?: sets.RequestOptions): Promise<sets.App> {
  return client.apps.create(params, own);
}

export function create(params: sets.CreateScreenshotsParams): Promise<sets.AcceptedJob> {
  return client.screenshots.create(params);
}

export function wait(jobId: string, own?: sets.WaitOptions): Promise<sets.SucceededJob> {
  return client.waitForJob(jobId, own);
}

export async function* statuses(jobId: string): AsyncGenerator<sets.JobStatus> {
  for await (const { status } of client.watchJob(jobId)) yield status;
}

export function slidesOf({ result }: sets.Job): sets.Slide[] {
  return result?.slides ?? [];
}

export function step(
  params: sets.CreateScreenshotsParams,
  state: SetState | undefined,
  own?: StepOptions,
): Promise<StepResult> {
  return stepSet(client, { params, state }, async () => {}, own);
}
