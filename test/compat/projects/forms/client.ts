import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

export const mock = createMock();
export const client = new ScreenshotSets(mock.clientOptions);
