import type * as sdk from "screenshot-sets";
import type { createProcessor } from "screenshot-sets/bullmq";
import type { StepOptions } from "screenshot-sets/durable";
import type * as mock from "screenshot-sets/mock";
import type { undiciFetch } from "screenshot-sets/undici";
import { expectTypeOf, test } from "vitest";

/** The optional fields that refuse an explicit `undefined` under `exactOptionalPropertyTypes`, of each part of a union. */
type Refusing<Options> = Options extends object
  ? {
      [Key in keyof Options]-?: object extends Pick<Options, Key>
        ? undefined extends Required<Options>[Key]
          ? never
          : Key
        : never;
    }[keyof Options]
  : never;

test("finds a field that refuses `undefined`", () => {
  expectTypeOf<Refusing<{ a?: number; b?: number | undefined; c: number } | "word">>().toEqualTypeOf<"a">();
});

test("every optional field of every options type takes `undefined`, as a value that may be missing has it", () => {
  expectTypeOf<
    | Refusing<sdk.ClientOptions>
    | Refusing<sdk.RequestOptions>
    | Refusing<sdk.WaitOptions>
    | Refusing<sdk.CreateAndWaitOptions>
    | Refusing<sdk.PollDelayOptions>
    | Refusing<StepOptions>
    | Refusing<Parameters<typeof createProcessor>[1]>
    | Refusing<NonNullable<Parameters<typeof undiciFetch>[0]>>
    | Refusing<mock.MockOptions>
    | Refusing<mock.AccountOptions>
    | Refusing<mock.Undocumented>
    | Refusing<NonNullable<mock.Undocumented["status"]>>
    | Refusing<mock.ListenOptions>
    | Refusing<mock.JobPlan>
    | Refusing<mock.Fault>
    | Refusing<mock.FaultOptions>
    | Refusing<mock.RequestsFilter>
    | Refusing<NonNullable<Parameters<mock.Mock["handle"]>[1]>>
  >().toEqualTypeOf<never>();
});
