/**
 * A deep copy of plain data, as an answer would contain it. Changes to the copy do not affect the original.
 *
 * @throws TypeError if JSON cannot represent the data
 */
export function plainCopy<Data>(data: Data): Data {
  return data === undefined ? data : JSON.parse(JSON.stringify(data));
}
