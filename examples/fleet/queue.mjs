import { Queue } from "bullmq";

const { hostname, port, username, password } = new URL(process.env.REDIS_URL ?? "redis://127.0.0.1:6379");

/** Workers wait for a Redis that is away as long as it takes. */
export const connection = {
  host: hostname,
  port: Number(port || 6379),
  username: decodeURIComponent(username),
  password: decodeURIComponent(password),
  maxRetriesPerRequest: null,
};

export const name = process.env.QUEUE ?? "sets";

export const openQueue = () => new Queue(name, { connection });
