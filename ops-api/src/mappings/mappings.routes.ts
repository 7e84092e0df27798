import { Mapping } from '@popsvc/contracts/mappings';
import { instantOf } from '@popsvc/contracts/time';
import { currentEntities, currentEntity } from '@popsvc/domain/registry';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { parseBody, invalid, switches } from '../checked.ts';
import { requireVendor } from '../credentials/registered.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { noParameters } from '../parameters.ts';
import type { KnownRegistry, RegistryLog } from '../registry/registry-log.ts';
import { mappingsOfVendor, type VendorMappings } from './mappings-of-vendor.ts';
import { AppliedMapping, exampleMapping, MappingInForce } from './mappings.schemas.ts';
import { registerMapping } from './register-mapping.ts';

const path = '/ops/v1/mappings';
const sideBySide = 32;

/** The network of a vendor that is registered and not retired. */
const networkOfVendor = (known: KnownRegistry, vendor: string): number => {
  const network = currentEntity(known.registry, 'vendors', vendor)?.network;
  if (network === undefined) throw invalid([{ path: 'vendor', message: `there is no vendor ${vendor}` }]);
  requireVendor(known, network, vendor);
  return network;
};

const told = ({ mapping, network, version, registeredAtMs }: VendorMappings['inForce'][number]) => ({
  vendor: mapping.vendor,
  network_id: network,
  schema_version: mapping.schema_version,
  version,
  registered_at: instantOf(registeredAtMs),
  mapping,
});

export const mappingsRoutes = (
  { store, log }: Pick<OpsDependencies, 'store' | 'log'>,
  known: RegistryLog,
): readonly Route[] => [
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
    async handle({ body, query, requestId, log: requestLog }) {
      switches(query, []);
      const mapping = parseBody(Mapping, body);
      const { vendor, schema_version: schemaVersion } = mapping;
      const network = networkOfVendor(await known.upToDate(), vendor);
      const { version, changed } = await registerMapping({ store, log }, network, mapping, requestId);
      requestLog.info({ vendor, schema_version: schemaVersion, version, changed }, 'a mapping was applied');
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
    async handle({ query }) {
      switches(query, []);
      const { registry } = await known.upToDate();
      const vendors = currentEntities(registry, 'vendors');
      const found: VendorMappings[] = [];
      for (let at = 0; at < vendors.length; at += sideBySide)
        found.push(
          ...(await Promise.all(
            vendors.slice(at, at + sideBySide).map(({ code }) => mappingsOfVendor(store, code, log)),
          )),
        );
      return jsonResponse(200, found.flatMap(({ inForce }) => inForce).map(told));
    },
  },
];
