/** A service that runs jobs, as those who wait for them see it. */
export interface JobService {
  /** Accepts a job, and gives back its id. */
  accept(): string;
  /** One look: whether the job had ended when the question arrived. */
  hasEnded(jobId: string): Promise<boolean>;
  /** What the service says of a job; set by whoever looks. */
  answer(hasEnded: boolean, jobId: string): unknown;
}

/** A `fetch` for which every GET is a look at the job that its URL names; any other request is accepted at once. */
export function fetchOf(service: JobService): typeof globalThis.fetch {
  return async (input, init) => {
    const { method = "GET", url } = input instanceof Request ? input : { ...init, url: String(input) };
    if (method.toUpperCase() !== "GET") {
      return Response.json(service.answer(false, service.accept()), { status: 201 });
    }
    const jobId = /job_\d+/.exec(url)?.[0] ?? "";
    return Response.json(service.answer(await service.hasEnded(jobId), jobId));
  };
}
