import { defineTable } from '@popsvc/platform/clickhouse';
import { byMonth, id, instant, network, source, vendor, word } from './fields.js';
/**
 * By who was heard before when: the uptime of an app in a window is one stretch of rows. A question to all devices at once
 * reads everything, so what is asked of all (who is online now) wants a table of its own.
 */
export const heartbeats = defineTable({
  name: 'heartbeats',
  about:
    'Heartbeats of devices, of apps on them and of feeders, each as it was told; a backfilled one has an older `at`.',
  orderBy: ['network_id', 'device_id', 'feeder_id', 'app', 'at', 'pos'],
  partitionBy: byMonth('at'),
  day: 'at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    vendor,
    device_id: id('Device that was heard, itself or an app on it'),
    feeder_id: id('Feeder that was heard'),
    app: word('App on the device; empty when the device or a feeder was heard.'),
    state: word('running or stopped; empty when no app was heard.'),
    at: instant('When it was alive.'),
    ...source,
  },
});
//# sourceMappingURL=heartbeats.table.js.map
