import "reflect-metadata";
import { Body, Controller, Module, Post, StandardSchemaValidationPipe } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { CreateScreenshotsParams } from "screenshot-sets";
import { createScreenshotsParams } from "screenshot-sets/schema";
import { client } from "./client.js";

@Controller("sets")
class SetsController {
  @Post()
  create(@Body({ schema: createScreenshotsParams }) params: CreateScreenshotsParams) {
    return client.screenshots.create(params);
  }
}

@Module({ controllers: [SetsController] })
class AppModule {}

/** Posts a body as JSON. */
export async function post(body: string): Promise<Response> {
  const app = await NestFactory.create(AppModule, { logger: ["error"] });
  // biome-ignore lint/correctness/useHookAtTopLevel: it is no hook of React.
  app.useGlobalPipes(new StandardSchemaValidationPipe());
  await app.listen(0, "127.0.0.1");
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${await app.getUrl()}/sets`, { method: "POST", headers, body });
  await app.close();
  return response;
}
