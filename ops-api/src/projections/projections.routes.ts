import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { switches } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { noParameters } from '../parameters.ts';

const ProjectionTold = z
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
    schemas: { query: noParameters, responses: { 200: z.array(ProjectionTold) } },
    async handle({ query }) {
      switches(query, []);
      return jsonResponse(200, await readProjections());
    },
  },
];
