import assert from "node:assert/strict";
import { test } from "node:test";
import { GlobalRegistrator } from "@happy-dom/global-registrator";
import { devices } from "screenshot-sets";
import { createScreenshotsParams } from "screenshot-sets/schema";

// Before React looks for a page.
GlobalRegistrator.register();
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const { act, createElement } = await import("react");
const { createRoot } = await import("react-dom/client");
const { SetForm } = await import("./out/react-hook-form.js");

test("react-hook-form shows what is wrong, and hands on a number, or the default for what is empty", async () => {
  const planned = [];
  const root = createRoot(document.body.appendChild(document.createElement("main")));
  await act(() => root.render(createElement(SetForm, { plan: async (params) => planned.push(params) })));
  // React misses what is set on the input itself.
  const type = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const submit = (values) =>
    act(async () => {
      for (const [name, value] of Object.entries(values)) {
        const input = document.querySelector(`[name=${name}]`);
        type.call(input, value);
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }
      document.querySelector("form").requestSubmit();
    });
  const set = { appId: "app_1", device: devices[0] };
  const { value: withDefault } = createScreenshotsParams["~standard"].validate(set);

  await submit({ ...set, device: "iphone-1", count: "3" });
  assert.match(document.body.textContent, /^Expected "/);
  assert.deepEqual(planned, []);
  await submit({ device: set.device });
  await submit({ count: "" });
  assert.deepEqual(planned, [{ ...set, count: 3 }, withDefault]);
  await act(() => root.unmount());
  await GlobalRegistrator.unregister();
});
