import { Readable } from 'node:stream';
import { Mapping } from '@popsvc/contracts/mappings';
import { Instant, instantOf } from '@popsvc/contracts/time';
import { BULK_FORMATS } from '@popsvc/contracts/bulk';
import { QUARANTINE_CODES } from '@popsvc/contracts/vocabulary';
import { testMapping } from '@popsvc/domain/mappings';
import { currentEntities, currentEntity, screenZone } from '@popsvc/domain/registry';
import { invalidRequestError, jsonResponse, noParameters, parseBody, type Route } from '@popsvc/http-kit/server';
import { readRows, UnreadableFile } from '@popsvc/platform/row-readers';
import { z } from 'zod';
import { requireActiveVendor } from '../registry/checks.ts';
import type { KnownRegistry, RegistryLog } from '../registry/registry-log.ts';
import { networkIdField, vendorField } from '../requests/parameters.ts';
import {
  type MappingsDependencies,
  readVendorMappings,
  registerMapping,
  type VendorMappings,
} from './vendor-mappings.ts';

const registered = {
  vendor: vendorField,
  network_id: networkIdField,
  schema_version: z.string().describe("The vendor's name for the schema that it converts."),
  version: z.int().min(1).describe('Counted by vendor and schema version.'),
};

const AppliedMapping = z
  .object({ ...registered, changed: z.boolean().describe('False if an identical mapping was already in force.') })
  .meta({ id: 'AppliedMapping' });

const MappingInForce = z
  .object({
    ...registered,
    registered_at: Instant.describe('When this version was registered.'),
    mapping: Mapping.describe('The mapping as registered.'),
  })
  .meta({ id: 'MappingInForce' });

const exampleMapping = {
  vendor: 'demo',
  schema_version: 'player-3',
  fields: {
    screenId: { path: 'screen' },
    campaignId: { path: 'ad.campaign' },
    creativeId: { path: 'ad.file' },
    playedAt: { path: 'start', time: 'unix_s' },
    duration: { path: 'seconds', unit: 's' },
  },
};

const maxSampleCharacters = 500_000;

const TestMappingRequest = z.strictObject({
  mapping: Mapping.describe('The mapping to try; it is not registered.'),
  format: z.enum(BULK_FORMATS).describe('Format of the sample.'),
  sample: z.string().min(1).max(maxSampleCharacters).describe("Events in the vendor's own schema, as a file has them."),
});

const count = z.int().min(0);

const TestedMapping = z
  .object({
    rows: count.describe('Rows of the sample.'),
    plays: count.describe('Rows that the mapping converts to a play.'),
    distinct: count.describe('Distinct event ids of the plays.'),
    bad: count.describe('Rows that the mapping cannot convert to a play.'),
    bad_by_code: z.record(z.string(), count).describe('Number of these rows by code.'),
    bad_rows: z
      .array(
        z.object({
          row: z.int().min(1).describe('Row of the sample, from 1.'),
          code: z.enum([...QUARANTINE_CODES, 'unreadable']).describe('unreadable: the row is not in the format.'),
          reason: z.string().describe('What is wrong: the field and its problem.'),
        }),
      )
      .describe('The first 20.'),
    fields: z
      .array(
        z.object({
          field: z.string().describe('The field of the play with its path in the event.'),
          found: count.describe('Rows in which it is read.'),
          missing: count.describe('Rows in which it is absent.'),
          unparsable: count.describe('Rows in which it has another form than the mapping says.'),
          examples: z.array(z.string()).describe('Up to three values.'),
          problems: z.array(z.string()).describe('Up to three reasons why the field cannot be read.'),
        }),
      )
      .describe('The result of each field that the mapping reads.'),
    first_plays: z
      .array(z.looseObject({ eventId: z.string().describe('Id of the play, as sent or derived.') }))
      .describe('The first three, as they would be stored.'),
  })
  .meta({ id: 'TestedMapping' });

const path = '/ops/v1/mappings';
const maxConcurrentReads = 32;

async function* readSampleRows(sample: string, format: (typeof BULK_FORMATS)[number], columns: Mapping['columns']) {
  try {
    for await (const { rows } of readRows(Readable.from([Buffer.from(sample)]), { format, columns })) yield* rows;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw invalidRequestError([{ path: 'sample', message: error.message }]);
  }
}

const testMappingRoute = (registryLog: RegistryLog): Route => ({
  method: 'post',
  path: `${path}/test`,
  summary:
    'Applies a mapping to a sample without registering it: the plays, the bad rows, and the result of each field.',
  operationId: 'testMapping',
  access: 'viewer',
  body: 'json',
  examples: [
    {
      name: 'flatJson',
      body: {
        mapping: exampleMapping,
        format: 'ndjson',
        sample:
          '{"screen":"S-1","ad":{"campaign":"C-1","file":"CR-1"},"start":1787234400,"seconds":10}\n{"screen":"S-1"}\n',
      },
    },
  ],
  schemas: { query: noParameters, body: TestMappingRequest, responses: { 200: TestedMapping } },
  async handle({ body }) {
    const { mapping, format, sample } = parseBody(TestMappingRequest, body);
    const { registry } = await registryLog.readCurrent();
    const network = currentEntity(registry, 'vendors', mapping.vendor)?.network;
    const report = await testMapping(
      mapping,
      readSampleRows(sample, format, mapping.columns),
      (screen, ms) => (network === undefined ? undefined : screenZone(registry, network, screen, ms)),
      Date.now(),
    );
    return jsonResponse(200, report);
  },
});

const networkOfVendor = (known: KnownRegistry, vendor: string): number => {
  const network = currentEntity(known.registry, 'vendors', vendor)?.network;
  if (network === undefined) throw invalidRequestError([{ path: 'vendor', message: `there is no vendor ${vendor}` }]);
  requireActiveVendor(known, network, vendor);
  return network;
};

const toListedMapping = ({ mapping, network, version, registeredAtMs }: VendorMappings['inForce'][number]) => ({
  vendor: mapping.vendor,
  network_id: network,
  schema_version: mapping.schema_version,
  version,
  registered_at: instantOf(registeredAtMs),
  mapping,
});

export const mappingsRoutes = ({ store, log }: MappingsDependencies, registryLog: RegistryLog): readonly Route[] => [
  {
    method: 'post',
    path,
    summary: "Registers how a vendor's own schema becomes plays; the same mapping again changes nothing.",
    operationId: 'applyMapping',
    access: 'operator',
    body: 'json',
    examples: [{ name: 'flatJson', body: exampleMapping }],
    schemas: { query: noParameters, body: Mapping, responses: { 200: AppliedMapping } },
    errorCodes: ['CONFLICT'],
    async handle({ body, requestId, log: requestLog }) {
      const mapping = parseBody(Mapping, body);
      const { vendor, schema_version: schemaVersion } = mapping;
      const network = networkOfVendor(await registryLog.readCurrent(), vendor);
      const { version, changed } = await registerMapping({ store, log }, network, mapping, requestId);
      requestLog.info({ vendor, schemaVersion, version, changed }, 'mapping applied');
      return jsonResponse(200, { vendor, network_id: network, schema_version: schemaVersion, version, changed });
    },
  },
  {
    method: 'get',
    path,
    summary: 'The mappings in force.',
    operationId: 'listMappings',
    access: 'viewer',
    examples: [{ name: 'all' }],
    schemas: { query: noParameters, responses: { 200: z.array(MappingInForce) } },
    async handle() {
      const { registry } = await registryLog.readCurrent();
      const vendors = currentEntities(registry, 'vendors');
      const found: VendorMappings[] = [];
      for (let at = 0; at < vendors.length; at += maxConcurrentReads)
        found.push(
          ...(await Promise.all(
            vendors.slice(at, at + maxConcurrentReads).map(({ code }) => readVendorMappings(store, code, log)),
          )),
        );
      return jsonResponse(200, found.flatMap(({ inForce }) => inForce).map(toListedMapping));
    },
  },
  testMappingRoute(registryLog),
];
