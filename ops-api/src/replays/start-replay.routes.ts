import { jsonResponse, type Route } from '@popsvc/platform/http';
import { parseBody, switches } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { noParameters } from '../parameters.ts';
import { NotNeeded, ProjectionAddress, Replay, ReplayWanted } from './replays.schemas.ts';
import { startReplay, startRollback } from './start-replay.ts';
import { toldReplay } from './told-replay.ts';

type Parts = Pick<OpsDependencies, 'postgres' | 'declarations'>;

export const startReplayRoute = (parts: Parts): Route => ({
  method: 'post',
  path: '/ops/v1/projections/:name/replay',
  summary: 'Builds a projection anew beside what is live, and then has readers change over.',
  description: 'It is built by whichever process has time; its progress is told at `/ops/v1/replays/{id}`.',
  operationId: 'startReplay',
  access: 'operator',
  body: 'json',
  examples: [
    { name: 'compared', params: { name: 'coffee' }, body: { verify: true } },
    { name: 'afterAnUpgrade', params: { name: 'jobs' }, body: { from_version: 1 } },
  ],
  schemas: {
    params: ProjectionAddress,
    query: noParameters,
    body: ReplayWanted,
    responses: { 200: NotNeeded, 202: Replay },
  },
  errorCodes: ['INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT'],
  async handle({ params, query, body, log }) {
    switches(query, []);
    const name = params['name'] ?? '';
    const { verify, from_version: fromVersion } = parseBody(ReplayWanted, body);
    const started = await startReplay(parts, name, { verify, fromVersion });
    if ('noNeed' in started) {
      const { generation, version } = started.noNeed;
      return jsonResponse(200, { name, generation, version, needed: false });
    }
    log.info({ projection: name, replay: started.planned.id, verify }, 'a replay was asked for');
    return jsonResponse(202, toldReplay(started.planned, Date.now()));
  },
});

export const startRollbackRoute = (parts: Parts): Route => ({
  method: 'post',
  path: '/ops/v1/projections/:name/rollback',
  summary: 'Has readers go back to the generation that was live before.',
  operationId: 'rollBackProjection',
  access: 'operator',
  examples: [{ name: 'aProjection', params: { name: 'jobs' } }],
  schemas: { params: ProjectionAddress, query: noParameters, responses: { 202: Replay } },
  errorCodes: ['NOT_FOUND', 'CONFLICT'],
  async handle({ params, query, log }) {
    switches(query, []);
    const planned = await startRollback(parts, params['name'] ?? '');
    log.info({ projection: planned.projection, replay: planned.id }, 'a rollback was asked for');
    return jsonResponse(202, toldReplay(planned, Date.now()));
  },
});
