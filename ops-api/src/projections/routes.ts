import { jsonResponse, noParameters, type Route } from '@popsvc/platform/http';
import { pauseProjection, type Postgres } from '@popsvc/platform/postgres';
import { z } from 'zod';
import { projectionNotFound } from './read-projections.ts';
import type { ListedProjection } from '../projections/read-projections.ts';

export interface ProjectionsDependencies {
  readonly postgres: Postgres;
  readonly readProjections: () => Promise<readonly ListedProjection[]>;
}

const ProjectionSchema = z
  .object({
    name: z.string(),
    generation: z.int().min(0),
    state: z
      .enum(['starting', 'running', 'failing', 'rebuild-needed', 'damaged', 'waiting', 'paused', 'stopped'])
      .describe(
        '`failing`: retries automatically; `rebuild-needed`: projected from another log, only a replay helps; `damaged`: tables are damaged, a replay rebuilds them; `paused`: by an operator; `stopped`: no process runs it.',
      ),
    position: z.string().describe('Log position up to which all events are projected.'),
    lag_events: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'Log events not yet projected: counted up to 1,000, estimated above; null when the event store does not answer.',
      ),
    lag_seconds: z.number().nullable().describe('Age of the newest projected event; null before the first event.'),
    parked: z.int().min(0).describe('Parked items of events: those that could not be projected.'),
    error: z.string().nullable().describe('The error that blocks it; null while it makes progress.'),
    kept: z
      .int()
      .min(1)
      .nullable()
      .describe('The previous generation, available for a rollback; null if none is kept.'),
    outdated: z
      .boolean()
      .describe('Whether an older version of the projection built the live generation; a replay updates it.'),
    incomplete_tables: z
      .array(z.string())
      .describe(
        'Tables that an upgrade added to the live generation; requests that read them are refused until a replay ends.',
      ),
    damaged_tables: z
      .array(z.string())
      .describe(
        'Damaged tables of the live generation. Requests that read them are refused until a replay ends, or those of a damaged time range until its rows are derived again.',
      ),
  })
  .meta({ id: 'Projection' });

export const projectionsRoutes = ({ readProjections }: ProjectionsDependencies): readonly Route[] => [
  {
    method: 'get',
    path: '/ops/v1/projections',
    summary: 'The state and progress of each projection.',
    operationId: 'listProjections',
    access: 'operator',
    examples: [{ name: 'all' }],
    schemas: { query: noParameters, responses: { 200: z.array(ProjectionSchema) } },
    async handle() {
      return jsonResponse(200, await readProjections());
    },
  },
];

const PausePath = z.object({ name: z.string() });
const PausedProjection = z.object({ name: z.string(), paused: z.boolean() }).meta({ id: 'PausedProjection' });

const pauseRoute = (
  { postgres }: ProjectionsDependencies,
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
  async handle({ params, log }) {
    const name = params['name'] ?? '';
    if (!(await pauseProjection(postgres, name, paused))) throw projectionNotFound(name);
    log.info({ projection: name }, paused ? 'projection paused' : 'projection resumed');
    return jsonResponse(200, { name, paused });
  },
});

export const pauseRoutes = (dependencies: ProjectionsDependencies): readonly Route[] => [
  pauseRoute(dependencies, true, {
    verb: 'pause',
    summary: 'Pauses a projection in every process until it is resumed; reports keep their current data.',
    operation: 'pauseProjection',
  }),
  pauseRoute(dependencies, false, {
    verb: 'resume',
    summary: 'Resumes a projection. One that stopped because it parked too many events at once may park events again.',
    operation: 'resumeProjection',
  }),
];
