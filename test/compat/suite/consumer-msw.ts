import { setupServer } from "msw/node";
import { createMock } from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";

const server = setupServer(...handlers(createMock()));
server.listen(listenOptions);
