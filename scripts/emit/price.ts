import { distinct, type JsonObject } from "../openapi/json.js";
import { valuesOf } from "../openapi/keywords.js";
import { answerSchemas, operationsIn } from "../openapi/operations.js";
import { partsOf, propertyOf } from "../openapi/walk.js";

/** The price in the service's specification (section 4.2), for a document that has never stated one. */
const usualPrice = 10;

/**
 * What a set costs by a normalised document, in credits; undefined if it does not state that. The field in which an
 * acceptance tells the price counts first, then the operation. Of what people read, only a single number is a statement.
 */
export function statedPrice(document: JsonObject): number | undefined {
  const one = operationsIn(document).find(({ known }) => known?.name === "createScreenshots");
  if (!one) return undefined;
  const credits = propertyOf(document, answerSchemas(one.operation)[0], "credits");
  const parts = partsOf(document, propertyOf(document, credits, "cost"));
  const values = parts.flatMap((part) => valuesOf(part) ?? []);
  const field = values.length > 0 ? values : parts.flatMap(({ description }) => numbersIn(description));
  return [field, numbersIn(one.operation.description)].map(onlyPrice).find((price) => price !== undefined);
}

/** The price in the generated module of an earlier document. */
export function priceBefore(values = ""): number {
  return Number(/ setCost: number = ([\d.]+);/.exec(values)?.[1] ?? usualPrice);
}

const numbersIn = (text: unknown) => String(text ?? "").match(/\d+(?:[.,]\d+)*/g) ?? [];

function onlyPrice(numbers: unknown[]): number | undefined {
  const [price, ...others] = distinct(numbers.filter((one) => one !== null).map(Number));
  return others.length === 0 && price !== undefined && price > 0 ? price : undefined;
}
