import { defineTable, field } from '@popsvc/platform/clickhouse';
import { id, instant, network, source, vendor, word } from './fields.js';
export const intervals = defineTable({
  name: 'intervals',
  about:
    'How long apps on devices were in one state, each telling kept; which of one (network, device, app, started_at) stands, standing_intervals says.',
  orderBy: ['network_id', 'device_id', 'app', 'started_at', 'pos'],
  day: 'started_at',
  replacing: {},
  granularity: 1024,
  fields: {
    network_id: network,
    vendor,
    device_id: id('Device'),
    app: word('App on the device.'),
    state: word('running or stopped.'),
    started_at: instant('Start.'),
    ended_at: field("Nullable(DateTime64(3, 'UTC'))", 'End; null while it lasts.'),
    last_heartbeat_at: field(
      "Nullable(DateTime64(3, 'UTC'))",
      'When the app was last heard in it; null when it was not.',
    ),
    revision: field('UInt64', 'Among equals a higher one supersedes.'),
    ...source,
  },
});
//# sourceMappingURL=intervals.table.js.map
