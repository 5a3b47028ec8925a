/** The form of a job id. */
export type IdForm = "usual" | "long" | "quoted" | "number";

/** A service that charges for every create that reaches it, and keeps a ledger for each app. */
export class ChargingService {
  readonly #jobIds = new Map<string, string[]>();

  /** Accepts a create and returns the id of its job as JSON. */
  accept(appId: string, form: IdForm): string {
    const jobIds = this.jobIdsOf(appId);
    this.#jobIds.set(appId, jobIds);
    const name = `job-${appId}-${jobIds.length}`;
    // More digits than a JavaScript number can hold.
    const digits = `9007199254740993${appId.replace(/\D/g, "")}${jobIds.length}`;
    const ids = { usual: name, long: name.padEnd(1_500, "-0"), quoted: `${name} "é\\`, number: digits };
    jobIds.push(ids[form]);
    return form === "number" ? digits : JSON.stringify(ids[form]);
  }

  /** The jobs that an app was charged for. */
  jobIdsOf(appId: string): string[] {
    return this.#jobIds.get(appId) ?? [];
  }
}
