import { distinct, type JsonObject } from "../openapi/json.js";
import { valuesOf } from "../openapi/keywords.js";
import { answerSchemas, bodySchema, operationsIn } from "../openapi/operations.js";
import { partsOf, propertyOf } from "../openapi/walk.js";

/** The price in the service's specification (section 4.2), for a document that has never stated one. */
const usualPrice = 10;

/** What a set costs in credits, and whether the document states it. */
export interface Price {
  price: number;
  isStated: boolean;
}

/** The price that a document states, or else the one in the generated module of an earlier document. */
export function priceOf(document: JsonObject, valuesBefore = ""): Price {
  const stated = statedPrice(document);
  const before = Number(/ setCost: number = ([\d.]+);/.exec(valuesBefore)?.[1] ?? usualPrice);
  return { price: stated ?? before, isStated: stated !== undefined };
}

/**
 * What a set costs in credits, if a document states it: in the field that tells the price, or else in the operation. Of what
 * people read, only a single number is a statement, and none beside a device.
 */
function statedPrice(document: JsonObject): number | undefined {
  const { values, field, operation, device } = wordsOfPrice(document);
  const numbers = (texts: string[]) =>
    texts.some((text) => text.search(device) >= 0) ? [] : texts.flatMap(numbersIn);
  const told = [values.length > 0 ? values : numbers(field), numbers(operation)];
  return told.map(onlyPrice).find((price) => price !== undefined);
}

/** What one number cannot say of the price: the numbers that the document names for it, and whether it names a device. */
export interface SeveralPrices {
  numbers: number[];
  isByDevice: boolean;
}

/** The prices that a document names, if these are several, or stand beside a device. */
export function severalPrices(document: JsonObject): SeveralPrices | undefined {
  const { values, field, operation, device } = wordsOfPrice(document);
  const about = [...field, ...operation.flatMap(sentencesOfPrice)].map((text) =>
    text.replace(otherCount, ""),
  );
  const numbersBeside = (text: string) => numbersIn(text.replace(device, ""));
  // A constant leaves nothing to describe.
  const texts = values.length > 0 ? [] : about.filter((text) => numbersBeside(text).length > 0);
  const numbers = distinct([...values, ...texts.flatMap(numbersBeside)].map(Number).filter(Number.isFinite));
  const isByDevice = texts.some((text) => text.search(device) >= 0);
  const sorted = numbers.sort((left, right) => left - right);
  return isByDevice || sorted.length > 1 ? { numbers: sorted, isByDevice } : undefined;
}

/** What a document says where the price of a set is told. `device`: the values of `device`, and words of them. */
function wordsOfPrice(document: JsonObject) {
  const create =
    operationsIn(document).find(({ known }) => known?.name === "createScreenshots")?.operation ?? {};
  const credits = propertyOf(document, answerSchemas(create)[0], "credits");
  const cost = partsOf(document, propertyOf(document, credits, "cost"));
  const devices = partsOf(document, propertyOf(document, bodySchema(create), "device"));
  const texts = (parts: JsonObject[]) =>
    parts.flatMap(({ description }) => (typeof description === "string" ? [description] : []));
  return {
    values: cost.flatMap((part) => valuesOf(part) ?? []).filter((value) => value !== null),
    field: texts(cost),
    operation: texts([create]),
    device: wordsOf(devices.flatMap((part) => valuesOf(part) ?? []).map(String)),
  };
}

/** Finds these values, such as `ipad-pro`, and the longer words of them, such as "iPads". */
function wordsOf(values: string[]): RegExp {
  const words = values.flatMap((value) => value.split(/[^a-z]+/i)).filter((word) => word.length > 3);
  const names = [...values, ...words].sort((left, right) => right.length - left.length);
  const alternatives = names.map((name) => name.replace(/[^\w]/g, "\\$&")).join("|");
  return new RegExp(names.length > 0 ? `(?<![\\w-])(?:${alternatives})s?(?![\\w-])` : "(?!)", "gi");
}

/** The sentences of an operation's description that tell a price, and not a number of something else. */
const sentencesOfPrice = (text: string) =>
  text.split(/(?<=[.;!?])\s+|\n+/).filter((sentence) => /credit|cost|price|charge/i.test(sentence));

/** A number of something else than credits. */
const otherCount =
  /(?<![\d.,])\d+(?:[.,]\d+)*\s*-?(?:%|percent|(?:milli)?seconds?|minutes?|hours?|days?|weeks?|months?|years?|slides?|characters?)(?!\w)/gi;

const numbersIn = (text: string): string[] => text.match(/\d+(?:[.,]\d+)*/g) ?? [];

function onlyPrice(numbers: unknown[]): number | undefined {
  const [price, ...others] = distinct(numbers.map(Number));
  return others.length === 0 && price !== undefined && price > 0 ? price : undefined;
}
