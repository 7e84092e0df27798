import { incidental, defineTable, field } from '@popsvc/platform/clickhouse';
import { id, instant, network, position, replacing } from './fields.ts';

/**
 * When feeders were heard: of a play nobody was seen at it tells NONE from UNMEASURED. By span before feeder, since plays of
 * one time ask for many feeders of one time.
 */
export const feederHeartbeats = defineTable({
  name: 'feeder_beats',
  about: 'Heartbeats of feeders by five-minute span; a look-up for projecting, not for reports.',
  orderBy: ['network_id', 'span', 'feeder_id', 'at', 'pos'],
  day: 'at',
  replacing: {},
  indexes: { by_pos: 'pos TYPE minmax GRANULARITY 1' },
  granularity: 1024,
  fields: {
    network_id: network,
    span: field('UInt32', 'Five minutes since 1970, counted.'),
    feeder_id: id('Feeder that was heard'),
    at: instant('When it was alive.'),
    pos: position('The event'),
    reach_from: incidental(
      instant(
        'Plays that end later, and begin at most five minutes after `at`, were computed again when it came; those before had been heard of.',
      ),
    ),
  },
});

/** The device is part of the key: a segment that names another one leaves a tombstone, by which the plays of both are found. */
export const feederPlaces = defineTable({
  name: 'feeder_places',
  about: 'Which device a feeder belonged to, from when on.',
  orderBy: ['network_id', 'feeder_id', 'valid_from', 'device_id'],
  replacing: { version: 'version', deleted: 'is_deleted' },
  granularity: 1024,
  fields: {
    network_id: network,
    feeder_id: id('Feeder'),
    valid_from: instant('From when this holds, until the next row of the same feeder.'),
    device_id: field('UInt64', 'Device; 0 while the feeder was retired.'),
    ...replacing,
  },
});
