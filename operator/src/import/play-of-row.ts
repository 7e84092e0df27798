import { PopEvent } from '@popsvc/contracts/commands';
import { instantOf } from '@popsvc/contracts/time';
import { mandatoryFields, type PlayoutField, playoutFields } from './playout-fields.ts';
import { playTime } from './play-time.ts';
import { type Read, reasonOf } from './read.ts';

/** A row of a playout file as a canonical play, or why it is none. */
export const playOfRow = (row: readonly string[]): Read<PopEvent> => {
  if (row.length !== playoutFields.length) return { reason: `has ${row.length} fields, not ${playoutFields.length}` };
  const get = (field: PlayoutField) => row[playoutFields.indexOf(field)]!.trim();
  const missing = mandatoryFields.filter((field) => get(field) === '').map((field) => `${field} is missing`);
  const time = playTime(get);
  if (!('startMs' in time)) return { reason: [...missing, ...time].join('; ') };
  if (missing.length > 0) return { reason: missing.join('; ') };
  const read = PopEvent.safeParse({
    eventId: get('mediaownerplayoutref'),
    screenId: get('frameid'),
    campaignId: get('orderid'),
    creativeId: get('creativeid'),
    playedAt: instantOf(time.startMs),
    durationMs: time.lengthMs,
    startReason: get('creativetriggerevent') === '' ? 'scheduled' : 'triggered',
  } satisfies PopEvent);
  return read.success ? { item: read.data, id: read.data.eventId } : { reason: reasonOf(read.error) };
};
