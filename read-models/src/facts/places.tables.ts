import { defineTable, field, type TableDefinition } from '@popsvc/platform/clickhouse';
import { id, instant, network, replacing, text, word } from '../declarations/fields.ts';

const where = {
  valid_from: instant('Beginning of validity; it ends at the next row of the same key.'),
  device_id: id('Device'),
  location_id: id('Location'),
  site_id: id('Site'),
  site_tz: word("Zone of the site, else the network's."),
  device_tz: word("Zone of the device, else the site's; empty when the device is unknown."),
  opens: field('Array(UInt16)', 'Openings in minutes since Monday 00:00, site time.'),
  closes: field('Array(UInt16)', 'Closings, exclusive.'),
  known: field('UInt8', '0 when only the network is known.'),
  ...replacing,
};

/** The rows with an empty screen id contain the time zone of the network. */
export const screenPlaces = defineTable({
  name: 'screen_places',
  about: 'Device, location, site and zone of a screen, by beginning of validity.',
  orderBy: ['network_id', 'screen_id', 'valid_from'],
  replacing: { version: 'version', deleted: 'is_deleted' },
  granularity: 1024,
  fields: { network_id: network, screen_id: text('Screen; empty for the network itself.'), ...where },
} satisfies TableDefinition);

export const devicePlaces = defineTable({
  name: 'device_places',
  about: 'Location, site and zone of a device, by beginning of validity.',
  orderBy: ['network_id', 'device_id', 'valid_from'],
  replacing: { version: 'version', deleted: 'is_deleted' },
  granularity: 1024,
  fields: { network_id: network, ...where },
} satisfies TableDefinition);

const thresholdTable = <const Name extends string>(name: Name) =>
  defineTable({
    name,
    about: 'Metric thresholds of a network, by beginning of validity; milliseconds, the share in thousandths.',
    orderBy: ['network_id', 'valid_from'],
    replacing: { version: 'version', deleted: 'is_deleted' },
    fields: {
      network_id: network,
      valid_from: instant('Beginning of validity.'),
      definition: field('UInt32', 'Version of the definition; 0 is the default.'),
      min_presence_ms: field('UInt32', 'Shortest presence that creates a row.'),
      merge_gap_ms: field('UInt32', 'Watch periods with gaps up to this are merged.'),
      impression_ms: field('UInt32', 'Shortest presence of an impression.'),
      glance_ms: field('UInt32', 'Shortest watch time of a glance.'),
      view_ms: field('UInt32', 'Shortest watch time of a view.'),
      view_through_slack_ms: field('UInt32', 'Longest absence during the play of a view-through.'),
      view_through_permille: field('UInt16', 'Share of the play a view-through watches, thousandths.'),
      ...replacing,
    },
  } satisfies TableDefinition);

export const coffeeThresholds = thresholdTable('coffee_thresholds');
export const watcherThresholds = thresholdTable('watcher_thresholds');
