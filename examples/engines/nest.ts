/**
 * A worker of NestJS, whose module registers the queue (`BullModule.registerQueue({ name: "sets" })`) and the client.
 */
import { InjectQueue, Processor, WorkerHost } from "@nestjs/bullmq";
import type { Queue } from "bullmq";
import type { ScreenshotSets } from "screenshot-sets";
import { createProcessor, type SetJob, workerOptions } from "screenshot-sets/bullmq";

@Processor("sets", { ...workerOptions, concurrency: 10 })
export class SetProcessor extends WorkerHost {
  private readonly step: ReturnType<typeof createProcessor>;

  constructor(@InjectQueue("sets") queue: Queue, client: ScreenshotSets) {
    super();
    this.step = createProcessor(client, { queue });
  }

  process(job: SetJob, token?: string) {
    return this.step(job, token);
  }
}
