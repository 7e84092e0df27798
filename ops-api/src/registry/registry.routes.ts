import { RegistryFile, registryKindNames } from '@popsvc/contracts/registry';
import { currentEntities } from '@popsvc/domain/registry';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { parseBody, switches } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { noParameters } from '../parameters.ts';
import { registryApplier } from './apply-registry.ts';
import type { RegistryLog } from './registry-log.ts';
import { AppliedRegistry, ApplyQuery } from './registry.schemas.ts';

const path = '/ops/v1/registry';
const maxBytes = 32 * 1024 * 1024;

export const registryRoutes = (parts: OpsDependencies, known: RegistryLog): readonly Route[] => {
  const apply = registryApplier(parts, known);
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
          name: 'onlyTell',
          description: 'Tells what a file would change.',
          query: { dry_run: true },
          body: { locations: [{ id: 23, name: 'South entrance', site: 12 }] },
        },
      ],
      schemas: { query: ApplyQuery, body: RegistryFile, responses: { 200: AppliedRegistry } },
      errorCodes: ['CONFLICT'],
      async handle({ body, query, requestId, log }) {
        const { dry_run: dryRun, restate } = switches(query, ['dry_run', 'restate']);
        const file: RegistryFile = parseBody(RegistryFile, body);
        const applied = await apply(file, { dryRun, restate, requestId });
        log.info({ changes: applied.changes.length, dry_run: dryRun }, 'a registry file was applied');
        return jsonResponse(200, applied);
      },
    },
    {
      method: 'get',
      path,
      summary: 'The whole registry as a file; applying it changes nothing.',
      operationId: 'exportRegistry',
      access: 'operator',
      examples: [{ name: 'all' }],
      schemas: { query: noParameters, responses: { 200: RegistryFile } },
      async handle({ query }) {
        switches(query, []);
        const { registry } = await known.upToDate();
        return jsonResponse(
          200,
          Object.fromEntries(registryKindNames.map((kind) => [kind, currentEntities(registry, kind)])),
        );
      },
    },
  ];
};
