import { RegistryFile, registryKindNames } from '@popsvc/contracts/registry';
import { currentEntities, type Registry } from '@popsvc/domain/registry';
import {
  jsonResponse,
  noParameters,
  parseBody,
  parseQuery,
  type Route,
  switchParameter,
} from '@popsvc/http-kit/server';
import { z } from 'zod';
import { vendorField } from '../requests/parameters.ts';
import { createRegistryApplier, type RegistryDependencies } from './apply-registry.ts';
import type { RegistryLog } from './registry-log.ts';

const Kind = z.enum(registryKindNames as [string, ...string[]]);
const byKind = z.record(z.string(), z.int().min(0)).describe('Number by kind.');

const ApplyQuery = z.strictObject({
  dry_run: switchParameter.describe('`true`: return what would change without applying it.'),
  restate: switchParameter.describe('`true`: allow thresholds effective in the past, which recomputes existing data.'),
});

const AppliedRegistry = z
  .object({
    created: byKind,
    changed: byKind,
    retired: byKind,
    unchanged: byKind,
    dry_run: z.boolean().describe('Nothing was stored.'),
    changes: z
      .array(
        z.object({
          kind: Kind.describe('Kind of the entity: a key of the file.'),
          key: z.string().describe('Identifies the entity among those of its kind.'),
          change: z
            .enum(['created', 'changed', 'retired'])
            .describe('What happens to the entity. One that is active again after it was retired is `changed`.'),
          fields: z
            .record(
              z.string(),
              z.object({
                from: z.unknown().describe('The old value.'),
                to: z.unknown().describe('The new value.'),
              }),
            )
            .describe('Old and new value; null when absent.'),
        }),
      )
      .describe('In the order in which they are applied.'),
  })
  .meta({ id: 'AppliedRegistry' });

const path = '/ops/v1/registry';
const maxBytes = 32 * 1024 * 1024;

export const registryRoutes = (dependencies: RegistryDependencies, registryLog: RegistryLog): readonly Route[] => {
  const apply = createRegistryApplier(dependencies, registryLog);
  return [
    {
      method: 'post',
      path,
      summary: 'Applies a registry file; the same file again changes nothing.',
      operationId: 'applyRegistry',
      access: 'operator',
      body: 'json',
      maxBytes,
      examples: [
        {
          name: 'dryRun',
          description: 'Returns what a file would change.',
          query: { dry_run: true },
          body: { locations: [{ id: 23, name: 'South entrance', site: 12 }] },
        },
      ],
      schemas: { query: ApplyQuery, body: RegistryFile, responses: { 200: AppliedRegistry } },
      errorCodes: ['CONFLICT'],
      async handle({ body, query, requestId, log }) {
        const { dry_run: dryRun, restate } = parseQuery(ApplyQuery, query);
        const file: RegistryFile = parseBody(RegistryFile, body);
        const applied = await apply(file, { dryRun, restate, requestId });
        log.info(
          { changes: applied.changes.length, dryRun },
          dryRun ? 'registry file checked' : 'registry file applied',
        );
        return jsonResponse(200, applied);
      },
    },
    {
      method: 'get',
      path,
      summary: 'The whole registry as a file; applying it changes nothing.',
      operationId: 'exportRegistry',
      access: 'viewer',
      examples: [{ name: 'all' }],
      schemas: { query: noParameters, responses: { 200: RegistryFile } },
      async handle() {
        const { registry } = await registryLog.readCurrent();
        return jsonResponse(
          200,
          Object.fromEntries(registryKindNames.map((kind) => [kind, currentEntities(registry, kind)])),
        );
      },
    },
  ];
};

const NetworksResponse = z.object({
  networks: z
    .array(
      z
        .object({
          id: z.int().min(1).describe('Id in the registry: the value of `network` parameters.'),
          name: z.string().describe('Current name in the registry.'),
          timezone: z.string().describe('IANA time zone, for plays whose site is unknown.'),
          vendors: z
            .array(z.object({ code: vendorField, name: z.string().describe('Current name in the registry.') }))
            .describe('Sorted by code, without retired ones.'),
        })
        .meta({ id: 'ListedNetwork' }),
    )
    .describe('Sorted by name, without retired networks.'),
});

const listVendors = (registry: Registry, networkId: number) =>
  currentEntities(registry, 'vendors')
    .filter(({ network, retired }) => network === networkId && retired !== true)
    .map(({ code, name }) => ({ code, name }))
    .sort((one, other) => one.code.localeCompare(other.code));

/** A small alternative to the export of the registry, which may have megabytes. */
export const networksRoute = (registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/networks',
  summary: 'The networks of the registry with their vendors.',
  operationId: 'listNetworks',
  access: 'viewer',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: NetworksResponse } },
  async handle() {
    const { registry } = await registryLog.readCurrent();
    const networks = currentEntities(registry, 'networks')
      .filter(({ retired }) => retired !== true)
      .map(({ id, name, timezone }) => ({ id, name, timezone, vendors: listVendors(registry, id) }));
    return jsonResponse(200, { networks: networks.sort((a, b) => a.name.localeCompare(b.name)) });
  },
});
