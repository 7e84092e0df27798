import { coffeeDataset } from '@popsvc/read-models/datasets';
import { intakeStream, mappingStream } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import { projecting, type Projecting } from '../support/projecting.ts';
import { readModelsInTurn } from '../support/read-models-in-turn.ts';
import type { Source } from '../support/told.ts';
import { smallRegistry } from '../support/small-registry.ts';

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

/** Tells events of vendors' own schemas, and looks at what became of them. */
export const tellingDynamic = (house: Projecting) => {
  let version = 0;
  return {
    send: (
      events: readonly object[],
      {
        schemaVersion = 'flat-1',
        maxAgeDays,
        ...from
      }: Source & { readonly schemaVersion?: string; readonly maxAgeDays?: number } = {},
    ) =>
      house.appendAll(
        intakeStream('dynamicPop', from.network ?? 1, from.vendor ?? 'acme', Date.now()),
        events.map((event) => ({
          type: 'DynamicPopRecorded',
          data: { schemaVersion, event, ...(maxAgeDays !== undefined && { maxAgeDays }) },
        })),
        { receivedAt, ...from },
      ),
    map: (fields: Partial<Mapping['fields']> = {}, schemaVersion = 'flat-1', vendor = 'acme') =>
      house.append(mappingStream(vendor), 'MappingRegistered', {
        network: 1,
        version: (version += 1),
        mapping: { vendor, schema_version: schemaVersion, fields: { ...flatFields, ...fields } },
      }),
    /** What an operator asks for after a build that maps more. */
    tryWaiting: (schemaVersion = 'flat-1', vendor = 'acme') =>
      house.append(mappingStream(vendor), 'QuarantineRetried', { network: 1, vendor, schemaVersion }),
    play: (eventId: string, more: object = {}, from: Source = {}) =>
      house.play({ eventId, ...more }, { receivedAt, ...from }),
    /** Event id, state, code and who released it. */
    quarantined: async () => {
      const rows = await house.writer.rows<Record<string, unknown>>(
        'SELECT event_id, state, code, mapping_version FROM quarantine_live ORDER BY pos',
      );
      return rows.map((row) => Object.values(row));
    },
    /** Event id, start, seconds. */
    plays: async () =>
      (await house.rows(coffeeDataset)).map((row) => [row['EVENT_ID'], row['DT_START_SITE_TZ'], row['PLAYOUT']]),
    balance: async () =>
      house.writer.rows<Record<string, unknown>>(
        `SELECT vendor, toString(hour) AS hour, received, stored, duplicate, conflict, quarantined, late, clock_ahead
         FROM vendor_balance_live ORDER BY vendor, hour`,
      ),
  };
};

/** A house with the small registry for each test. */
export const dynamicHouse = () => {
  const readModels = readModelsInTurn();
  let house: Projecting;
  let telling: ReturnType<typeof tellingDynamic>;
  beforeEach(async () => {
    house = await projecting({ of: ['registry', 'coffee'], readModels });
    telling = tellingDynamic(house);
    await house.register(smallRegistry);
  });
  afterEach(() => house.close());
  return {
    get house() {
      return house;
    },
    get tell() {
      return telling;
    },
  };
};
