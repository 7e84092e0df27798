import { isDeepStrictEqual } from 'node:util';
import { DynamicPopRecorded } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { ConflictFound } from './conflicts.query.ts';
import type { RawEvent } from './raw-events.ts';

type Content = Readonly<Record<string, unknown>>;

/** As sent: what stands beside it in the log is ours. */
const contentOf = (raw: RawEvent | undefined): Content | null => {
  if (!raw) return null;
  return (raw.type === DynamicPopRecorded.type ? (raw.data as DynamicPopRecorded).event : raw.data) as Content;
};

const differing = (first: Content, later: Content): string[] =>
  [...new Set([...Object.keys(first), ...Object.keys(later)])].filter(
    (name) => !isDeepStrictEqual(first[name], later[name]),
  );

/** One came in the canonical schema and the other in the vendor's own: their fields have nothing in common. */
const otherSchema = ['(another schema)'];

const differs = (first: RawEvent | undefined, later: RawEvent | undefined): readonly string[] => {
  if (!first || !later) return [];
  if (first.type !== later.type) return otherSchema;
  return differing(contentOf(first) ?? {}, contentOf(later) ?? {});
};

/** A conflict as operators are told: the first content of the id and the later one side by side. */
export const toldConflict = (found: ConflictFound, raws: ReadonlyMap<string, RawEvent>) => {
  const { network_id, vendor, event_id, position, received_ms, first_position, first_received_ms } = found;
  const [first, later] = [raws.get(first_position), raws.get(position)];
  const side = (at: string, receivedMs: number, raw: RawEvent | undefined) => ({
    position: at,
    received_at: instantOf(receivedMs),
    type: raw?.type ?? null,
    content: contentOf(raw),
  });
  return {
    network_id,
    vendor,
    event_id,
    differs: differs(first, later),
    first: side(first_position, first_received_ms, first),
    later: side(position, received_ms, later),
  };
};
