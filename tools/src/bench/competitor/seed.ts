import { defaultThresholds } from '@popsvc/contracts/metrics';
import type { RegistryFile } from '@popsvc/contracts/registry';
import type { Pool } from 'pg';
import { hashOf } from './app.ts';

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Inserts rows into a table; each row is an object whose keys are column names. */
const fill = (pool: Pool, table: string, rows: Rows): Promise<unknown> =>
  pool.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [JSON.stringify(rows)]);

/** Inserts the registry entries and the default thresholds. Registry entries have no history in this schema. */
export const seedRegistry = async (pool: Pool, file: RegistryFile): Promise<void> => {
  const { networks, vendors, sites, locations, devices, feeders, campaigns, creatives } = file;
  const networkOf = new Map(campaigns.map(({ id, network }) => [id, network]));
  await fill(pool, 'networks', networks);
  await fill(
    pool,
    'vendors',
    vendors.map(({ network, ...one }) => ({ ...one, network_id: network })),
  );
  await fill(
    pool,
    'sites',
    sites.map(({ network, ...one }) => ({ ...one, network_id: network })),
  );
  await fill(
    pool,
    'opening_hours',
    sites.flatMap(({ id, business_hours = {} }) =>
      weekdays.flatMap((day, index) =>
        (business_hours[day] ?? []).map((span) => {
          const [opens, closes] = span.split('-');
          return { site_id: id, weekday: index + 1, opens, closes };
        }),
      ),
    ),
  );
  await fill(
    pool,
    'locations',
    locations.map(({ site, ...one }) => ({ ...one, site_id: site })),
  );
  await fill(
    pool,
    'devices',
    devices.map(({ id, name, location, timezone }) => ({
      id,
      name,
      location_id: location,
      timezone,
      longest_detection: '0',
    })),
  );
  await fill(
    pool,
    'feeders',
    feeders.map(({ id, name, device }) => ({ id, name, device_id: device })),
  );
  const siteOf = new Map(locations.map(({ id, site }) => [id, sites.find((one) => one.id === site)]));
  await fill(
    pool,
    'screens',
    devices.flatMap(({ id, location, screen_ids }) =>
      screen_ids.map((ref) => ({ network_id: siteOf.get(location)?.network, screen_ref: ref, device_id: id })),
    ),
  );
  await fill(
    pool,
    'campaigns',
    campaigns.map(({ id, network, external_id, name, subscription_name, strategies }) => {
      const only = strategies.length === 1 ? strategies[0] : undefined;
      const strategy = { strategy_id: only?.id, strategy_name: only?.name };
      return { network_id: network, campaign_ref: external_id, id, name, subscription_name, ...strategy };
    }),
  );
  await fill(
    pool,
    'creatives',
    creatives.map(({ external_id, title, display_title = title, campaign }) => ({
      network_id: networkOf.get(campaign),
      creative_ref: external_id,
      title,
      display_title,
    })),
  );
  await fill(
    pool,
    'thresholds',
    networks.map(({ id }) => ({ network_id: id, effective: '(,)', ...defaultThresholds })),
  );
};

export const seedApiKey = (pool: Pool, apiKey: string, networkId: number, vendor: string): Promise<unknown> =>
  fill(pool, 'api_keys', [{ hash: hashOf(apiKey), network_id: networkId, vendor }]);
