import { coffee, registryTables, watcherSummary } from '@popsvc/read-models/tables';
import type { Row, TableDefinition } from '@popsvc/platform/clickhouse';

/** Default value of a field type. */
const emptyValue = (type: string): unknown => {
  if (type.startsWith('Nullable')) return null;
  if (type.startsWith('Array')) return [];
  return type.includes('String') ? '' : 0;
};

export const rowOf =
  ({ fields }: TableDefinition, defaults: Row) =>
  (own: Row): Row => ({
    ...Object.fromEntries(Object.entries(fields).map(([name, { type }]) => [name, emptyValue(type)])),
    ...defaults,
    ...own,
  });

/** 20 August 2026, 12:00 UTC. */
export const noon = Date.UTC(2026, 7, 20, 12);
export const minute = 60_000;

/** A play in Berlin without a detection; instants are ms since 1970. */
export const coffeeRow = rowOf(coffee, {
  ts: noon,
  vendor: 'acme',
  event_id: 'e-1',
  campaign_ref: 'cam-1',
  creative_ref: 'cre-1',
  play_reason: 'scheduled',
  duration_ms: 10_000,
  site_tz: 'Europe/Berlin',
  pop_type: 'UNMEASURED',
  gender: 'unknown',
  age_category: 'unknown',
  mood: 'unknown',
  version: 1,
});

export const watcherRow = rowOf(watcherSummary, {
  ts: noon,
  vendor: 'acme',
  detection_id: 'd-1',
  site_tz: 'Europe/Berlin',
  gender: 'female',
  age_category: 'adult',
  mood: 'happy',
  population: 'VIEWER',
  detection_ms: 10_000,
  version: 1,
});

export const networkRow = rowOf(registryTables.networks, { timezone: 'Europe/Berlin', version: 1 });
export const siteRow = rowOf(registryTables.sites, { timezone: 'Europe/Berlin', version: 1 });
