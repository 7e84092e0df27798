import type { PlayReference } from '@popsvc/contracts/responses';
import { knownIds, type KnownIds } from './known-ids.ts';
import type { Registry } from './registry.ts';

export interface NearestIds {
  /** Returns undefined if no near id is found within the limits of the search. */
  find(networkId: number, field: PlayReference, unknownId: string): string | undefined;
}

/** Without this limit, requests with ever new unknown ids could use a whole CPU core. Cached results do not count. */
const maxSearchesPerSecond = 200;

/** Results are cached, because senders usually repeat the same unknown ids. */
const maxResults = 10_000;

/** `now` returns ms. After `maxSearchesPerSecond` searches in a second, `find` returns only cached results. */
export const createNearestIds = (registry: Registry, now: () => number): NearestIds => {
  const indexes = new Map<string, IdIndex>();
  const results = new Map<string, string | undefined>();
  let second = -Infinity;
  let searches = 0;

  const maySearch = (): boolean => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) searches = 0;
    second = current;
    searches += 1;
    return searches <= maxSearchesPerSecond;
  };

  return {
    find(networkId, field, unknownId) {
      const key = `${networkId} ${field}`;
      const index = indexes.get(key) ?? createIdIndex();
      indexes.set(key, index);
      if (index.addNew(knownIds(registry, networkId, field))) results.clear();
      const resultKey = `${key} ${unknownId}`;
      if (results.has(resultKey) || !maySearch()) return results.get(resultKey);
      const found = index.find(unknownId);
      if (results.size >= maxResults) results.clear();
      results.set(resultKey, found);
      return found;
    },
  };
};

interface IdIndex {
  addNew(ids: KnownIds): boolean;
  find(unknownId: string): string | undefined;
}

interface IndexedId {
  readonly id: string;
  readonly letters: string;
  readonly mask: number;
}

/** For a longer unknown id, `find` returns only an id with the same letters and digits. */
const maxComparedLength = 64;

/** Networks with very many ids of one length do not slow down a search beyond this. */
const maxComparisons = 20_000;

const createIdIndex = (): IdIndex => {
  const byLetters = new Map<string, string>();
  const byLength = new Map<number, IndexedId[]>();
  let indexedCount = 0;

  const add = (id: string): void => {
    const letters = lettersOf(id);
    if (letters === '' || byLetters.has(letters)) return;
    byLetters.set(letters, id);
    const sameLength = byLength.get(letters.length) ?? [];
    byLength.set(letters.length, sameLength);
    sameLength.push({ id, letters, mask: maskOf(letters) });
  };

  return {
    addNew(ids) {
      if (ids.size === indexedCount) return false;
      let position = 0;
      for (const id of ids.keys()) if (position++ >= indexedCount) add(id);
      indexedCount = ids.size;
      return true;
    },
    find(unknownId) {
      const letters = lettersOf(unknownId);
      const sameLetters = byLetters.get(letters);
      if (sameLetters !== undefined || letters.length > maxComparedLength) return sameLetters;
      const mask = maskOf(letters);
      let maxDistance = maxDistanceOf(letters.length);
      let nearest: string | undefined;
      let comparisons = 0;
      for (const length of lengthsAround(letters.length, maxDistance))
        for (const candidate of byLength.get(length) ?? []) {
          // An edit changes at most two bits of the mask.
          if (countBits(mask ^ candidate.mask) > 2 * maxDistance) continue;
          if ((comparisons += 1) > maxComparisons) return nearest;
          if (!isWithin(letters, 0, candidate.letters, 0, maxDistance)) continue;
          if (maxDistance === 1 || isWithin(letters, 0, candidate.letters, 0, 1)) return candidate.id;
          // Another id may differ in only one edit.
          nearest = candidate.id;
          maxDistance = 1;
        }
      return nearest;
    },
  };
};

const lettersOf = (id: string): string => id.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** 0 for the shortest ids: too many of them would be near each other. */
const maxDistanceOf = (length: number): number => (length < 3 ? 0 : length < 6 ? 1 : 2);

const lengthsAround = (length: number, maxDistance: number): readonly number[] =>
  maxDistance === 0 ? [] : [0, 1, -1, 2, -2].filter((by) => Math.abs(by) <= maxDistance).map((by) => length + by);

/** Different characters may have the same bit. */
const maskOf = (letters: string): number => {
  let mask = 0;
  for (let index = 0; index < letters.length; index++) mask |= 1 << (letters.charCodeAt(index) & 31);
  return mask;
};

const countBits = (bits: number): number => {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/**
 * Whether at most `max` edits turn the rest of `one` into the rest of `other`. An edit inserts, deletes or replaces a character, or
 * swaps two adjacent ones.
 */
const isWithin = (one: string, start: number, other: string, otherStart: number, max: number): boolean => {
  let [from, otherFrom] = [start, otherStart];
  while (from < one.length && otherFrom < other.length && one.charCodeAt(from) === other.charCodeAt(otherFrom)) {
    from += 1;
    otherFrom += 1;
  }
  if (from === one.length || otherFrom === other.length) return one.length - from + other.length - otherFrom <= max;
  if (max === 0) return false;
  const isSwapped =
    one.charCodeAt(from) === other.charCodeAt(otherFrom + 1) &&
    one.charCodeAt(from + 1) === other.charCodeAt(otherFrom);
  return (
    isWithin(one, from + 1, other, otherFrom + 1, max - 1) ||
    isWithin(one, from + 1, other, otherFrom, max - 1) ||
    isWithin(one, from, other, otherFrom + 1, max - 1) ||
    (isSwapped && isWithin(one, from + 2, other, otherFrom + 2, max - 1))
  );
};
