/** A handler of AWS Lambda behind SQS. A message is the id of an order in the table; each delivery takes one step of it. */
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSHandler } from "aws-lambda";
import type { CreateScreenshotsParams } from "screenshot-sets";
import { place, step } from "./orders.js";

const sqs = new SQSClient();

export const handler: SQSHandler = async ({ Records }) => {
  for (const { body: id } of Records) {
    const delayMs = await step(id);
    if (delayMs !== undefined) await deliver(id, delayMs);
  }
};

/** Plans a set. To call it again with the same `id` does no harm. */
export async function order(id: string, params: CreateScreenshotsParams): Promise<void> {
  await place(id, params);
  await deliver(id, 0);
}

/** Sends a message that SQS delivers after a delay, of fifteen minutes at most. */
async function deliver(id: string, delayMs: number): Promise<void> {
  const DelaySeconds = Math.min(Math.ceil(delayMs / 1_000), 900);
  await sqs.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: id, DelaySeconds }));
}
