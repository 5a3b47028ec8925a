import type * as sets from "screenshot-sets";
import { ApiError, devices, ScreenshotSets } from "screenshot-sets";
import { type SetState, type StepOptions, type StepResult, stepSet } from "screenshot-sets/durable";
import { createMock, type Mock, type MockOptions } from "screenshot-sets/mock";

// A module of a project with `isolatedDeclarations`, where each export says its type by a public name.

const mockOptions: MockOptions = { allowance: 20 };
export const mock: Mock = createMock(mockOptions);
export const options: sets.ClientOptions = mock.clientOptions;
export const device: sets.Device = devices[0];

export class Sets extends ScreenshotSets {
  plan(params: sets.CreateScreenshotsParams, own?: sets.CreateAndWaitOptions): Promise<sets.PlannedSet> {
    return this.screenshots.createAndWait(params, own);
  }

  createApp(params: sets.CreateAppParams, own?: sets.RequestOptions): Promise<sets.App> {
    return this.apps.create(params, own);
  }

  async *statuses(jobId: string, own?: sets.WaitOptions): AsyncGenerator<sets.JobStatus> {
    for await (const { status } of this.watchJob(jobId, own)) yield status;
  }

  step(params: sets.CreateScreenshotsParams, state?: SetState, own?: StepOptions): Promise<StepResult> {
    return stepSet(this, { params, state }, async () => {}, own);
  }
}

export class QuotaError extends ApiError {
  readonly device: sets.Device = device;
}
