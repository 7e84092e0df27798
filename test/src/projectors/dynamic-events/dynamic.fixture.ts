import { coffeeDataset } from '@popsvc/read-models/datasets';
import { intakeStream, mappingStream, maxEventItems } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { reusableReadModels } from '../../support/test-read-models.ts';
import type { EventSource } from '../../support/append-events.ts';
import { chunk } from '../../support/list-events.ts';
import { smallRegistry } from '../../support/small-registry.ts';

/** An event of the schema `flat-1`, as the vendor sends it. */
export interface Flat {
  readonly id?: string;
  readonly screen?: string;
  readonly start?: string;
  readonly seconds?: number | string;
}

export const receivedAt = '2026-08-20T15:10:00.000Z';

/** Times without offset are by the clock of the device. */
export const flatFields: Mapping['fields'] = {
  eventId: { path: 'id' },
  screenId: { path: 'screen' },
  campaignId: { const: 'C-100' },
  creativeId: { const: 'CR-1' },
  playedAt: { path: 'start' },
  duration: { path: 'seconds', unit: 's' },
};

export const flat = (more: Flat = {}) => ({
  id: 'A',
  screen: 'screen-1',
  start: '2026-08-20T14:00:00Z',
  seconds: 10,
  ...more,
});

/** Appends events of vendors' own schemas, and reads the results. */
export const createDynamicEvents = (system: TestSystem) => {
  let version = 0;
  return {
    send: (
      events: readonly object[],
      {
        schemaVersion = 'flat-1',
        maxAgeDays,
        ...from
      }: EventSource & { readonly schemaVersion?: string; readonly maxAgeDays?: number } = {},
    ) =>
      system.appendAll(
        intakeStream('dynamicPop', from.network ?? 1, from.vendor ?? 'acme', Date.now()),
        chunk(events, maxEventItems).map((items) => ({
          type: 'DynamicPlaysRecorded',
          data: { schemaVersion, items, ...(maxAgeDays !== undefined && { maxAgeDays }) },
        })),
        { receivedAt, ...from },
      ),
    map: (fields: Partial<Mapping['fields']> = {}, schemaVersion = 'flat-1', vendor = 'acme') =>
      system.append(mappingStream(vendor), 'MappingRegistered', {
        network: 1,
        version: (version += 1),
        mapping: { vendor, schema_version: schemaVersion, fields: { ...flatFields, ...fields } },
      }),
    /** The operator's retry of waiting events. */
    tryWaiting: (schemaVersion = 'flat-1', vendor = 'acme') =>
      system.append(mappingStream(vendor), 'QuarantineRetried', { network: 1, vendor, schemaVersion }),
    play: (eventId: string, more: object = {}, from: EventSource = {}) =>
      system.play({ eventId, ...more }, { receivedAt, ...from }),
    /** Event id, state, code and the mapping version that released it. */
    quarantined: async () => {
      const rows = await system.writer.rows<Record<string, unknown>>(
        'SELECT event_id, state, code, mapping_version FROM quarantine_live ORDER BY pos',
      );
      return rows.map((row) => Object.values(row));
    },
    /** Event id, start, seconds. */
    plays: async () =>
      (await system.rows(coffeeDataset)).map((row) => [row['EVENT_ID'], row['DT_START_SITE_TZ'], row['PLAYOUT']]),
    balance: async () =>
      system.writer.rows<Record<string, unknown>>(
        `SELECT vendor, toString(hour) AS hour, received, stored, duplicate, conflict, quarantined, late, clock_ahead
         FROM vendor_balance_live ORDER BY vendor, hour`,
      ),
  };
};

/** A system with the small registry for each test. */
export const dynamicSystem = () => {
  const readModels = reusableReadModels();
  let system: TestSystem;
  let events: ReturnType<typeof createDynamicEvents>;
  beforeEach(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'], readModels });
    events = createDynamicEvents(system);
    await system.register(smallRegistry);
  });
  afterEach(() => system.close());
  return {
    get system() {
      return system;
    },
    get events() {
      return events;
    },
  };
};
