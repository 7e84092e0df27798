import { Mapping } from '@popsvc/contracts/mappings';
import { Instant, instantOf } from '@popsvc/contracts/time';
import { currentEntities, currentEntity } from '@popsvc/domain/registry';
import { invalidRequestError, jsonResponse, noParameters, parseBody, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { requireActiveVendor } from '../registry/checks.ts';
import type { KnownRegistry, RegistryLog } from '../registry/registry-log.ts';
import {
  type MappingsDependencies,
  readVendorMappings,
  registerMapping,
  type VendorMappings,
} from './vendor-mappings.ts';

const registered = {
  vendor: z.string(),
  network_id: z.int().min(1),
  schema_version: z.string(),
  version: z.int().min(1).describe('Counted by vendor and schema version.'),
};

const AppliedMapping = z
  .object({ ...registered, changed: z.boolean().describe('False if an identical mapping was already in force.') })
  .meta({ id: 'AppliedMapping' });

const MappingInForce = z
  .object({ ...registered, registered_at: Instant, mapping: Mapping })
  .meta({ id: 'MappingInForce' });

/** Example for the API documentation: a mapping that a demo vendor might register. */
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

const path = '/ops/v1/mappings';
const maxConcurrentReads = 32;

/** Returns the network of a vendor. Throws if the vendor is not registered or is retired. */
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
    access: 'operator',
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
];
