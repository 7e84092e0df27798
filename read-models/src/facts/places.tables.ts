import { defineTable, field, type TableDefinition } from '@popsvc/platform/clickhouse';
import { id, instant, network, replacing, text, word } from '../declarations/fields.ts';

const where = {
  valid_from: instant('From when this holds, until the next row of the same key.'),
  device_id: id('Device'),
  location_id: id('Location'),
  site_id: id('Site'),
  site_tz: word("Zone of the site, else the network's."),
  device_tz: word("Zone of the device, else the site's; empty when the device is unknown."),
  opens: field('Array(UInt16)', 'Openings in minutes since Monday 00:00, site time.'),
  closes: field('Array(UInt16)', 'Closings, exclusive.'),
  known: field('UInt8', '0 where only the network is known.'),
  ...replacing,
};

/** Where a screen stood, in segments of time; the row with an empty screen is the network's own zone. */
export const screenPlaces = defineTable({
  name: 'screen_places',
  about: 'Which device, location, site and zone a screen had, from when on.',
  orderBy: ['network_id', 'screen_id', 'valid_from'],
  replacing: { version: 'version', deleted: 'is_deleted' },
  granularity: 1024,
  fields: { network_id: network, screen_id: text('Screen; empty for the network itself.'), ...where },
} satisfies TableDefinition);

export const devicePlaces = defineTable({
  name: 'device_places',
  about: 'Which location, site and zone a device had, from when on.',
  orderBy: ['network_id', 'device_id', 'valid_from'],
  replacing: { version: 'version', deleted: 'is_deleted' },
  granularity: 1024,
  fields: { network_id: network, ...where },
} satisfies TableDefinition);

const thresholdTable = <const Name extends string>(name: Name) =>
  defineTable({
    name,
    about: 'Metric thresholds of a network, from when on; milliseconds, the share in thousandths.',
    orderBy: ['network_id', 'valid_from'],
    replacing: { version: 'version', deleted: 'is_deleted' },
    fields: {
      network_id: network,
      valid_from: instant('From when this version holds.'),
      definition: field('UInt32', 'Version of the definition; 0 is the default.'),
      min_presence_ms: field('UInt32', 'Shortest presence that makes a row.'),
      merge_gap_ms: field('UInt32', 'Looks no further apart are one.'),
      impression_ms: field('UInt32', 'Presence of an impression.'),
      glance_ms: field('UInt32', 'Watching of a glance.'),
      view_ms: field('UInt32', 'Watching of a view.'),
      view_through_slack_ms: field('UInt32', 'How much of the play a view-through may miss.'),
      view_through_permille: field('UInt16', 'Share of the play a view-through watches, thousandths.'),
      ...replacing,
    },
  } satisfies TableDefinition);

export const coffeeThresholds = thresholdTable('coffee_thresholds');
export const watcherThresholds = thresholdTable('watcher_thresholds');
