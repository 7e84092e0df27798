import { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, noParameters, parseBody, parseQuery, type Route } from '@popsvc/http-kit/server';
import {
  requestReplayCancellation,
  findReplay,
  planReplay,
  planRollback,
  readGenerations,
  readReplays,
  readUnfinishedReplays,
  type Postgres,
  type ReplayRecord,
  type ReplaySource,
} from '@popsvc/platform/postgres';
import { chooseReplaySource, findFactsProblem, type ProjectionDeclaration } from '@popsvc/read-models/generations';
import { z } from 'zod';
import { listLimit } from '../requests/parameters.ts';
import { projectionNotFound } from '../projections/read-projections.ts';
import { ProjectionPath, Replay, ReplayNotNeeded, ReplayPath, StartReplayRequest, toReplay } from './replay-schema.ts';

export interface ReplaysDependencies {
  readonly postgres: Postgres;
  readonly declarations: readonly ProjectionDeclaration[];
}

const requireProjection = (declarations: readonly ProjectionDeclaration[], name: string): ProjectionDeclaration => {
  const projection = declarations.find((each) => each.name === name);
  if (projection) return projection;
  throw projectionNotFound(name, declarations);
};

const replayInProgress = (name: string): ApiError =>
  new ApiError('CONFLICT', `A replay or rollback of ${name} is already running; wait for it or cancel it.`);

/** A replay by an older release would replace the live generation with rows of an older version of the projection. */
const olderRelease = (name: string, version: number, live: number): ApiError =>
  new ApiError(
    'CONFLICT',
    `${name} was built by version ${live} of the projection, and this release has version ${version}: use an operations server of the newer release.`,
  );

interface UpToDateGeneration {
  readonly generation: number;
  readonly version: number;
}

const startReplay = async (
  { postgres, declarations }: ReplaysDependencies,
  name: string,
  {
    verify,
    fromVersion,
    source,
  }: {
    readonly verify: boolean;
    readonly fromVersion: number | undefined;
    readonly source: ReplaySource | undefined;
  },
): Promise<{ readonly planned: ReplayRecord } | { readonly noNeed: UpToDateGeneration }> => {
  const projection = requireProjection(declarations, name);
  const { version } = projection;
  const known = await readGenerations(postgres);
  const live = known.find(({ projection, state }) => projection === name && state === 'live');
  if (live && fromVersion !== undefined && live.version > fromVersion) return { noNeed: live };
  if (live && live.version > version) throw olderRelease(name, version, live.version);
  const problem = live && findFactsProblem(projection, live);
  if (source === 'facts' && problem !== undefined)
    throw new ApiError('CONFLICT', `${name} cannot be replayed from facts: ${problem}. Replay it from the log.`);
  const from = live && chooseReplaySource(projection, live, source);
  const planned = await planReplay(postgres, { projection: name, version, verify, ...(from && { from }) });
  if (!planned) throw replayInProgress(name);
  return { planned };
};

const startRollback = async ({ postgres, declarations }: ReplaysDependencies, name: string): Promise<ReplayRecord> => {
  requireProjection(declarations, name);
  const planned = await planRollback(postgres, name);
  if (planned === 'none')
    throw new ApiError('CONFLICT', `No previous generation of ${name} is kept, so there is nothing to roll back to.`);
  if (planned === 'busy') throw replayInProgress(name);
  return planned;
};

const startReplayRoute = (dependencies: ReplaysDependencies): Route => ({
  method: 'post',
  path: '/ops/v1/projections/:name/replay',
  summary: 'Builds a new generation of a projection alongside the live one, then switches readers to it.',
  description: 'A projectors process with free capacity builds it; `/ops/v1/replays/{id}` returns its progress.',
  operationId: 'startReplay',
  access: 'operator',
  body: 'json',
  examples: [
    { name: 'compared', params: { name: 'coffee' }, body: { verify: true } },
    { name: 'fromFacts', params: { name: 'watcher-summary' }, body: { source: 'facts' } },
    { name: 'afterAnUpgrade', params: { name: 'jobs' }, body: { from_version: 2 } },
  ],
  schemas: {
    params: ProjectionPath,
    query: noParameters,
    body: StartReplayRequest,
    responses: { 200: ReplayNotNeeded, 202: Replay },
  },
  errorCodes: ['INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT'],
  async handle({ params, body, log }) {
    const name = params['name'] ?? '';
    const { verify, from_version: fromVersion, source } = parseBody(StartReplayRequest, body);
    const started = await startReplay(dependencies, name, { verify, fromVersion, source });
    if ('noNeed' in started) {
      const { generation, version } = started.noNeed;
      return jsonResponse(200, { name, generation, version, needed: false });
    }
    const { id, source: from, sourceReason: reason } = started.planned;
    log.info({ projection: name, replay: id, verify, source: from, reason }, 'replay planned');
    return jsonResponse(202, toReplay(started.planned, Date.now()));
  },
});

const startRollbackRoute = (dependencies: ReplaysDependencies): Route => ({
  method: 'post',
  path: '/ops/v1/projections/:name/rollback',
  summary: 'Switches readers back to the previous generation.',
  operationId: 'rollBackProjection',
  access: 'operator',
  examples: [{ name: 'aProjection', params: { name: 'jobs' } }],
  schemas: { params: ProjectionPath, query: noParameters, responses: { 202: Replay } },
  errorCodes: ['NOT_FOUND', 'CONFLICT'],
  async handle({ params, log }) {
    const planned = await startRollback(dependencies, params['name'] ?? '');
    log.info({ projection: planned.projection, replay: planned.id }, 'rollback planned');
    return jsonResponse(202, toReplay(planned, Date.now()));
  },
});

const toReplayNow = (record: ReplayRecord) => toReplay(record, Date.now());

const ListReplaysQuery = z.strictObject({
  limit: listLimit(100),
  unfinished: z.enum(['true']).optional().describe('Only replays and rollbacks that have not ended.'),
});

const listReplaysRoute = ({ postgres }: ReplaysDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/replays',
  summary: 'Replays and rollbacks, newest first.',
  operationId: 'listReplays',
  access: 'viewer',
  examples: [{ name: 'newest', query: { limit: 10 } }],
  schemas: {
    query: ListReplaysQuery,
    responses: { 200: z.object({ replays: z.array(Replay).describe('Newest first.') }) },
  },
  async handle({ query }) {
    const { limit, unfinished } = parseQuery(ListReplaysQuery, query);
    const found = await (unfinished ? readUnfinishedReplays(postgres) : readReplays(postgres, limit));
    return jsonResponse(200, { replays: found.slice(0, limit).map(toReplayNow) });
  },
});

const requireReplay = async ({ postgres }: ReplaysDependencies, text = ''): Promise<ReplayRecord> => {
  const record = /^\d{1,9}$/.test(text) ? await findReplay(postgres, Number(text)) : undefined;
  if (!record) throw new ApiError('NOT_FOUND', 'There is no replay with this id.');
  return record;
};

const showReplayRoute = (dependencies: ReplaysDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/replays/:id',
  summary: 'The state of a replay.',
  operationId: 'showReplay',
  access: 'viewer',
  examples: [{ name: 'one', params: { id: '1' } }],
  schemas: { params: ReplayPath, query: noParameters, responses: { 200: Replay } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params }) {
    return jsonResponse(200, toReplayNow(await requireReplay(dependencies, params['id'])));
  },
});

const cancelReplayRoute = (dependencies: ReplaysDependencies): Route => ({
  method: 'delete',
  path: '/ops/v1/replays/:id',
  summary: 'Cancels a replay within seconds and drops what it has built; readers stay on the live generation.',
  operationId: 'cancelReplay',
  access: 'operator',
  examples: [{ name: 'one', params: { id: '1' } }],
  schemas: { params: ReplayPath, query: noParameters, responses: { 202: Replay } },
  errorCodes: ['NOT_FOUND', 'CONFLICT'],
  async handle({ params, log }) {
    const { id, state } = await requireReplay(dependencies, params['id']);
    const cancelled = await requestReplayCancellation(dependencies.postgres, id);
    if (!cancelled) throw new ApiError('CONFLICT', `The replay has already ended; its state is ${state}.`);
    log.info({ projection: cancelled.projection, replay: id }, 'replay cancellation requested');
    return jsonResponse(202, toReplayNow(cancelled));
  },
});

export const replaysRoutes = (dependencies: ReplaysDependencies): readonly Route[] => [
  startReplayRoute(dependencies),
  listReplaysRoute(dependencies),
  showReplayRoute(dependencies),
  cancelReplayRoute(dependencies),
  startRollbackRoute(dependencies),
];
