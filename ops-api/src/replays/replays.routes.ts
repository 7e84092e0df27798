import { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { requestReplayCancellation, findReplay, readReplays, type ReplayRecord } from '@popsvc/platform/postgres';
import { z } from 'zod';
import { checkedQuery, switches } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { listLimit, noParameters } from '../parameters.ts';
import { Replay, ReplayAddress } from './replays.schemas.ts';
import { startReplayRoute, startRollbackRoute } from './start-replay.routes.ts';
import { toldReplay } from './told-replay.ts';

type Parts = Pick<OpsDependencies, 'postgres' | 'declarations'>;

const told = (record: ReplayRecord) => toldReplay(record, Date.now());

const ListAsked = z.strictObject({ limit: listLimit(100) });

const list = ({ postgres }: Parts): Route => ({
  method: 'get',
  path: '/ops/v1/replays',
  summary: 'Replays and rollbacks, the newest first.',
  operationId: 'listReplays',
  access: 'operator',
  examples: [{ name: 'newest', query: { limit: 10 } }],
  schemas: { query: ListAsked, responses: { 200: z.object({ replays: z.array(Replay) }) } },
  async handle({ query }) {
    const { limit } = checkedQuery(ListAsked, query);
    return jsonResponse(200, { replays: (await readReplays(postgres, limit)).map(told) });
  },
});

const required = async ({ postgres }: Parts, text = ''): Promise<ReplayRecord> => {
  const record = /^\d{1,9}$/.test(text) ? await findReplay(postgres, Number(text)) : undefined;
  if (!record) throw new ApiError('NOT_FOUND', 'There is no replay of this id.');
  return record;
};

const show = (parts: Parts): Route => ({
  method: 'get',
  path: '/ops/v1/replays/:id',
  summary: 'How a replay goes or went.',
  operationId: 'showReplay',
  access: 'operator',
  examples: [{ name: 'one', params: { id: '1' } }],
  schemas: { params: ReplayAddress, query: noParameters, responses: { 200: Replay } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query }) {
    switches(query, []);
    return jsonResponse(200, told(await required(parts, params['id'])));
  },
});

const cancel = (parts: Parts): Route => ({
  method: 'delete',
  path: '/ops/v1/replays/:id',
  summary: 'Ends a replay within seconds, and drops what it has built; readers stay where they are.',
  operationId: 'cancelReplay',
  access: 'operator',
  examples: [{ name: 'one', params: { id: '1' } }],
  schemas: { params: ReplayAddress, query: noParameters, responses: { 202: Replay } },
  errorCodes: ['NOT_FOUND', 'CONFLICT'],
  async handle({ params, query, log }) {
    switches(query, []);
    const { id, state } = await required(parts, params['id']);
    const asked = await requestReplayCancellation(parts.postgres, id);
    if (!asked) throw new ApiError('CONFLICT', `The replay has ended: it is ${state}.`);
    log.info({ projection: asked.projection, replay: id }, 'a replay was cancelled');
    return jsonResponse(202, told(asked));
  },
});

export const replaysRoutes = (parts: Parts): readonly Route[] => [
  startReplayRoute(parts),
  list(parts),
  show(parts),
  cancel(parts),
  startRollbackRoute(parts),
];
