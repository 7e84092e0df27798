import { jsonResponse, type Route } from '@popsvc/platform/http';
import { pauseProjection } from '@popsvc/platform/postgres';
import { z } from 'zod';
import type { OpsDependencies } from '../dependencies.ts';
import { noParameters, parseSwitches } from '../parameters.ts';
import { projectionNotFound } from './read-projections.ts';

const ProjectionSchema = z
  .object({
    name: z.string(),
    generation: z.int().min(0),
    state: z
      .enum(['starting', 'running', 'failing', 'waiting', 'paused', 'stopped'])
      .describe('`failing`: it tries again by itself; `paused`: by an operator; `stopped`: no process works on it.'),
    position: z.string().describe('In the log, up to which everything is projected.'),
    lag_events: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'Events it has yet to handle: counted up to a thousand, more are estimated; null: the log does not tell.',
      ),
    lag_seconds: z.number().nullable().describe('Age of what was projected last; null before the first event.'),
    parked: z.int().min(0).describe('Events that could not be projected and were set aside.'),
    error: z.string().nullable().describe('Why it does not get on; null while it does.'),
    kept: z.int().min(1).nullable().describe('Generation that readers could go back to; null when none is kept.'),
    outdated: z.boolean().describe('Whether an older version of the projection built it: then it wants a replay.'),
  })
  .meta({ id: 'Projection' });

export const projectionsRoutes = ({ readProjections }: Pick<OpsDependencies, 'readProjections'>): readonly Route[] => [
  {
    method: 'get',
    path: '/ops/v1/projections',
    summary: 'How far each projection is.',
    operationId: 'listProjections',
    access: 'operator',
    examples: [{ name: 'all' }],
    schemas: { query: noParameters, responses: { 200: z.array(ProjectionSchema) } },
    async handle({ query }) {
      parseSwitches(query, []);
      return jsonResponse(200, await readProjections());
    },
  },
];

const PausePath = z.object({ name: z.string() });
const PausedProjection = z.object({ name: z.string(), paused: z.boolean() }).meta({ id: 'PausedProjection' });

const pauseRoute = (
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
  schemas: { params: PausePath, query: noParameters, responses: { 200: PausedProjection } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query, log }) {
    parseSwitches(query, []);
    const name = params['name'] ?? '';
    if (!(await pauseProjection(postgres, name, paused))) throw projectionNotFound(name);
    log.info({ projection: name }, paused ? 'a projection stands still' : 'a projection goes on');
    return jsonResponse(200, { name, paused });
  },
});

export const pauseRoutes = (parts: Pick<OpsDependencies, 'postgres'>): readonly Route[] => [
  pauseRoute(parts, true, {
    verb: 'pause',
    summary: 'Has a projection stand still, in every process, until it is resumed; reports stay as they are.',
    operation: 'pauseProjection',
  }),
  pauseRoute(parts, false, {
    verb: 'resume',
    summary: 'Has a projection go on; one that set too much aside at once sets events aside again.',
    operation: 'resumeProjection',
  }),
];
