import { incidental, defineTable, field, type Field, type TableDefinition } from '@popsvc/platform/clickhouse';
import { flag, id, instant, network, text } from '../declarations/fields.ts';

const name = text('Current name.');
const retired = flag('1 while retired: past reports contain it, current lists do not.');

const dimension = <const Fields extends Readonly<Record<string, Field>>>(
  stem: string,
  key: readonly (keyof Fields & string)[],
  fields: Fields,
) =>
  defineTable({
    name: `registry_${stem}`,
    about: `Current ${stem} of the registry.`,
    orderBy: key,
    replacing: { version: 'version' },
    fields: {
      ...fields,
      changed_at: instant(
        'When the entity, or one whose values the row shows, last changed: a change takes effect when it is registered, or at its time.',
      ),
      version: incidental(field('UInt64', 'Log position of the latest change; the highest is current.')),
    },
  } satisfies TableDefinition);

const networkId = { network_id: network };

export const registryTables = {
  networks: dimension('networks', ['network_id'], { ...networkId, name, timezone: text('Zone.'), retired }),
  vendors: dimension('vendors', ['code'], { code: text('Vendor code.'), ...networkId, name, retired }),
  sites: dimension('sites', ['site_id'], {
    site_id: id('Site'),
    ...networkId,
    name,
    timezone: text('Zone.'),
    opens: field('Array(UInt16)', 'Opening times in minutes since Monday 00:00, site time; [0] when always open.'),
    closes: field('Array(UInt16)', 'The closing time for each opening time; [10080] when always open.'),
  }),
  locations: dimension('locations', ['location_id'], {
    location_id: id('Location'),
    ...networkId,
    site_id: id('Site'),
    name,
  }),
  devices: dimension('devices', ['device_id'], {
    device_id: id('Device'),
    ...networkId,
    location_id: id('Location'),
    name,
    retired,
  }),
  feeders: dimension('feeders', ['feeder_id'], {
    feeder_id: id('Feeder'),
    ...networkId,
    device_id: id('Device'),
    name,
    only_camera_id: field('UInt64', "The feeder's camera when it has just one, else 0."),
    retired,
  }),
  cameras: dimension('cameras', ['camera_id'], {
    camera_id: id('Camera'),
    ...networkId,
    device_id: id('Device'),
    name,
  }),
  apps: dimension('apps', ['code'], { code: text('Code.'), name }),
  campaigns: dimension('campaigns', ['network_id', 'external_id'], {
    ...networkId,
    external_id: text('Id used by vendors.'),
    campaign_id: id('Campaign'),
    name,
    subscription_name: field('Nullable(String)', 'Subscription.'),
    strategy_id: field('Nullable(UInt64)', "The campaign's only strategy."),
    strategy_name: field('Nullable(String)', 'Its name.'),
  }),
  creatives: dimension('creatives', ['network_id', 'external_id'], {
    ...networkId,
    external_id: text('Id used by vendors.'),
    title: text('Title.'),
    display_title: text('Title for display.'),
    strategy_id: field('Nullable(UInt64)', 'Its own strategy.'),
    strategy_name: field('Nullable(String)', 'Its name.'),
  }),
  metric_definitions: dimension('metric_definitions', ['network_id', 'definition'], {
    ...networkId,
    definition: field('UInt32', 'Version of the definition.'),
    effective_from: field("DateTime64(3, 'UTC')", 'Beginning of validity.'),
    thresholds: text('The thresholds as JSON.'),
  }),
} as const;
