/**
 * A copy of plain data, as an answer carries it: it shares nothing with the original, so that either may be changed.
 *
 * @throws TypeError for what JSON cannot hold
 */
export function plainCopy<Data>(data: Data): Data {
  return data === undefined ? data : JSON.parse(JSON.stringify(data));
}
