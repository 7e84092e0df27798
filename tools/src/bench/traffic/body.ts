import { play } from './plays.ts';

const mark = '############';

/**
 * Bodies of a request with so many plays, each with ids never used before: the same body again would be a repetition, which
 * a store may answer without storing. Only the ids are written anew, so that making a body costs next to nothing.
 */
export const createBodies = (events: number, prefix: string): (() => Buffer) => {
  const plays = Array.from({ length: events }, (_, index) => play(index, prefix + mark));
  const pattern = Buffer.from(JSON.stringify({ events: plays }));
  const places: number[] = [];
  for (let at = pattern.indexOf(mark); at >= 0; at = pattern.indexOf(mark, at + 1)) places.push(at);
  let serial = 0;
  return () => {
    const body = Buffer.from(pattern);
    for (const place of places) body.write(String((serial += 1)).padStart(mark.length, '0'), place, 'latin1');
    return body;
  };
};
