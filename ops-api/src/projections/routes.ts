import { jsonResponse, noParameters, type Route } from '@popsvc/http-kit/server';
import { pauseProjection, type Postgres } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import { z } from 'zod';
import { projectionNotFound } from './read-projections.ts';
import type { ListedProjection } from '../projections/read-projections.ts';

export interface ProjectionsDependencies {
  readonly postgres: Postgres;
  readonly declarations: readonly ProjectionDeclaration[];
  readonly readProjections: () => Promise<readonly ListedProjection[]>;
}

const progressFields = {
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
  error: z.string().nullable().describe('The error that blocks it; null while it makes progress.'),
};

const PartitionSchema = z
  .object({
    partition: z
      .int()
      .min(0)
      .describe(
        'Contains the networks whose last digit, divided by the number of shards, modulo the number of partitions, is this.',
      ),
    owner: z.string().nullable().describe('The process that runs it, or ran it last; null if none has.'),
    ...progressFields,
  })
  .meta({ id: 'Partition' });

const ProjectionSchema = z
  .object({
    name: z.string().describe('With the shard if there are several: `coffee@1of2` is in the first of two.'),
    generation: z.int().min(0).describe('The live generation; 1 for components without tables.'),
    ...progressFields,
    parked: z.int().min(0).describe('Parked items of events: those that could not be projected.'),
    kept: z
      .int()
      .min(1)
      .nullable()
      .describe('The previous generation, available for a rollback; null if none is kept.'),
    version: z
      .int()
      .min(0)
      .nullable()
      .describe('The version of the projection that built the live generation; null for components without tables.'),
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
    partitions: z
      .array(PartitionSchema)
      .describe(
        'Each partition. The projection has the worst state of them with its error, the lowest position and the largest lag.',
      ),
  })
  .meta({ id: 'Projection' });

export const projectionsRoutes = ({ readProjections }: ProjectionsDependencies): readonly Route[] => [
  {
    method: 'get',
    path: '/ops/v1/projections',
    summary: 'The state and progress of each projection.',
    operationId: 'listProjections',
    access: 'viewer',
    examples: [{ name: 'all' }],
    schemas: { query: noParameters, responses: { 200: z.array(ProjectionSchema) } },
    async handle() {
      return jsonResponse(200, await readProjections());
    },
  },
];

const PausePath = z.object({ name: z.string() });
const PausedProjection = z
  .object({
    name: z.string().describe('The projection, as in the path.'),
    paused: z.boolean().describe('True once it is paused, false once it is resumed.'),
  })
  .meta({ id: 'PausedProjection' });

const pauseRoute = (
  { postgres, declarations }: ProjectionsDependencies,
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
    if (!(await pauseProjection(postgres, name, paused))) throw projectionNotFound(name, declarations);
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
