import { defineTable, field } from '@popsvc/platform/clickhouse';
import { byMonth, id, instant, network, position, word } from './fields.ts';

const subject = {
  network_id: network,
  kind: word('device or feeder.'),
  id: id('Device or feeder'),
};

/** One row each, so that who is online now costs as much as there are devices, however long they were heard. */
export const liveness = defineTable({
  name: 'device_liveness',
  about: 'When each device and feeder was last heard: the latest receipt of a heartbeat that counted.',
  orderBy: ['network_id', 'kind', 'id'],
  replacing: { version: 'version' },
  granularity: 1024,
  fields: {
    ...subject,
    last_received_at: instant('Receipt of the last heartbeat that came within 300 s of its `at`.'),
    version: field('UInt64', 'The same in milliseconds since 1970; the highest stands.'),
  },
});

export const outages = defineTable({
  name: 'outages',
  about: 'When devices and feeders were offline, as it was recorded; what was backfilled later is in backfilled_beats.',
  orderBy: ['network_id', 'kind', 'id', 'offline_at'],
  day: 'offline_at',
  replacing: { version: 'pos' },
  granularity: 1024,
  fields: {
    ...subject,
    offline_at: instant('From when on it counted as offline.'),
    online_at: field("Nullable(DateTime64(3, 'UTC'))", 'Receipt of the heartbeat that ended it; null while it lasts.'),
    pos: position('The event that told of it last'),
  },
});

export const backfilledHeartbeats = defineTable({
  name: 'backfilled_beats',
  about:
    'Heartbeats that came too late to be heard in time: they say that it was alive for 300 s from then, and shorten the outage of that time.',
  orderBy: ['network_id', 'kind', 'id', 'at', 'received_at'],
  partitionBy: byMonth('at'),
  day: 'at',
  replacing: {},
  granularity: 1024,
  fields: { ...subject, at: instant('When it was alive.'), received_at: instant('When the service took it in.') },
});
