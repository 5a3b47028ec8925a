import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useForm } from "react-hook-form";
import type { CreateScreenshotsParams } from "screenshot-sets";
import { createScreenshotsParams } from "screenshot-sets/schema";

export function SetForm({ plan }: { plan: (params: CreateScreenshotsParams) => Promise<unknown> }) {
  const form = useForm({ resolver: standardSchemaResolver(createScreenshotsParams) });
  return (
    <form onSubmit={form.handleSubmit(plan)}>
      <input {...form.register("appId")} />
      <input {...form.register("device")} />
      <input {...form.register("count", { setValueAs: (text) => (text ? Number(text) : undefined) })} />
      <p>{form.formState.errors.device?.message}</p>
    </form>
  );
}
