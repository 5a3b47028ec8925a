import { defaultCount, devices } from "../../../generated/values.js";
import type { AccountView } from "../schemas.js";
import { ActionForm } from "./action.js";
import { call } from "./api.js";
import { Choice, Field, useForm } from "./fields.js";
import { numberIn } from "./format.js";

const labels = { iosUrl: "App Store URL", count: "Number of slides" };

const blank = {
  listing: "https://apps.apple.com/us/app/example/id1234567890",
  device: devices[0] as string,
  count: String(defaultCount),
  account: "",
};

/** Creates an app and a set as a client would, for people who have none at hand. */
export function PlanSet({ accounts }: { accounts: readonly AccountView[] }) {
  const { form, bound } = useForm(blank);
  const ids = accounts.map(({ id }) => id);
  // The chosen account may be gone after a reset.
  const account = ids.includes(form.account) ? form.account : ids[0];
  const { listing, device, count } = form;
  const run = () =>
    call("POST", `accounts/${account}/sets`, { iosUrl: listing, device, count: numberIn(count) });
  return (
    <ActionForm class="filters plan" run={run} subject="Plan set" labels={labels} aria-label="Plan a set">
      <Field name={labels.iosUrl} {...bound("listing")} />
      <Choice name="Device" values={devices} {...bound("device")} />
      <Field name={labels.count} {...bound("count")} />
      {ids.length > 1 && (
        <Choice name="For account" values={ids} {...bound("account")} value={account ?? ""} />
      )}
      <button type="submit">Plan set</button>
    </ActionForm>
  );
}
