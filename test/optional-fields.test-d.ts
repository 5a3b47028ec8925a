import type {
  ClientOptions,
  CreateAndWaitOptions,
  PollDelayOptions,
  RequestOptions,
  WaitOptions,
} from "screenshot-sets";
import type { createProcessor } from "screenshot-sets/bullmq";
import type { StepOptions } from "screenshot-sets/durable";
import type {
  AccountOptions,
  Fault,
  FaultOptions,
  JobPlan,
  ListenOptions,
  Mock,
  MockOptions,
  RequestsFilter,
  Undocumented,
} from "screenshot-sets/mock";
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
    | Refusing<ClientOptions>
    | Refusing<RequestOptions>
    | Refusing<WaitOptions>
    | Refusing<CreateAndWaitOptions>
    | Refusing<PollDelayOptions>
    | Refusing<StepOptions>
    | Refusing<Parameters<typeof createProcessor>[1]>
    | Refusing<NonNullable<Parameters<typeof undiciFetch>[0]>>
  >().toEqualTypeOf<never>();
  expectTypeOf<
    | Refusing<MockOptions>
    | Refusing<AccountOptions>
    | Refusing<Undocumented>
    | Refusing<NonNullable<Undocumented["status"]>>
    | Refusing<ListenOptions>
    | Refusing<JobPlan>
    | Refusing<Fault>
    | Refusing<FaultOptions>
    | Refusing<RequestsFilter>
    | Refusing<NonNullable<Parameters<Mock["handle"]>[1]>>
  >().toEqualTypeOf<never>();
});
