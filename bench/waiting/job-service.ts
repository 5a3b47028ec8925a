/** A service that runs jobs, as its waiters see it. */
export interface JobService {
  /** Accepts a job and returns its id. */
  accept(): string;
  /** One poll: whether the job had ended when the request arrived. */
  hasEnded(jobId: string): Promise<boolean>;
  /** The service's answer for a job; set by the waiter. */
  answer(hasEnded: boolean, jobId: string): unknown;
}

/** A `fetch` for which every GET polls the job in its URL. Any other request is accepted immediately. */
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
