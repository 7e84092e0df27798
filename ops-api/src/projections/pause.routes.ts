import { jsonResponse, type Route } from '@popsvc/platform/http';
import { pauseProjection } from '@popsvc/platform/postgres';
import { z } from 'zod';
import { switches } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { noParameters } from '../parameters.ts';
import { noSuchProjection } from './no-such-projection.ts';

const ProjectionAddress = z.object({ name: z.string() });
const PausedTold = z.object({ name: z.string(), paused: z.boolean() }).meta({ id: 'PausedProjection' });

const setting = (
  { postgres }: Pick<OpsDependencies, 'postgres'>,
  paused: boolean,
  { verb, summary, operation }: { readonly verb: string; readonly summary: string; readonly operation: string },
): Route => ({
  method: 'post',
  path: `/ops/v1/projections/:name/${verb}`,
  summary,
  operationId: operation,
  access: 'operator',
  examples: [{ name: 'coffee', params: { name: 'coffee' } }],
  schemas: { params: ProjectionAddress, query: noParameters, responses: { 200: PausedTold } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query, log }) {
    switches(query, []);
    const name = params['name'] ?? '';
    if (!(await pauseProjection(postgres, name, paused))) throw noSuchProjection(name);
    log.info({ projection: name }, paused ? 'a projection stands still' : 'a projection goes on');
    return jsonResponse(200, { name, paused });
  },
});

export const pauseRoutes = (parts: Pick<OpsDependencies, 'postgres'>): readonly Route[] => [
  setting(parts, true, {
    verb: 'pause',
    summary: 'Has a projection stand still, in every process, until it is resumed; reports stay as they are.',
    operation: 'pauseProjection',
  }),
  setting(parts, false, {
    verb: 'resume',
    summary: 'Has a projection go on; one that set too much aside at once sets events aside again.',
    operation: 'resumeProjection',
  }),
];
