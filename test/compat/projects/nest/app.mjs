import "reflect-metadata";
import { Body, Controller, HttpException, Inject, Module, Post } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { planSet } from "./plan-set.mjs";

// Decorators as TypeScript compiles them.
class SetsController {
  constructor(plan) {
    this.plan = plan;
  }

  async create(params) {
    const { status, body } = await this.plan(params);
    if (status !== 201) throw new HttpException(body, status);
    return body;
  }
}
Controller("sets")(SetsController);
Inject("plan")(SetsController, undefined, 0);
Body()(SetsController.prototype, "create", 0);
Post()(
  SetsController.prototype,
  "create",
  Object.getOwnPropertyDescriptor(SetsController.prototype, "create"),
);

class AppModule {}
Module({
  controllers: [SetsController],
  providers: [{ provide: "plan", useValue: planSet }],
})(AppModule);

export async function start() {
  const app = await NestFactory.create(AppModule, { logger: ["error"] });
  await app.listen(0, "127.0.0.1");
  return { url: await app.getUrl(), close: () => app.close() };
}
