import { type Route, streamResponse } from '@popsvc/platform/http';
import { unfinishedReplays } from '@popsvc/platform/postgres';
import { noParameters, parseSwitches } from '../parameters.ts';
import type { OpsDependencies } from '../dependencies.ts';
import { type OverviewDependencies, readOverview } from '../overview/read-overview.ts';
import { toReplay } from '../replays/replay-schema.ts';
import { createLiveHub } from './live-hub.ts';

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Disables response buffering in nginx, which would delay events.
  'X-Accel-Buffering': 'no',
};

const readProjectionsEvent = async ({ readProjections, postgres }: OverviewDependencies) => {
  const [projections, replays] = await Promise.all([readProjections(), unfinishedReplays(postgres)]);
  return { projections: projections, replays: replays.map((replay) => toReplay(replay, Date.now())) };
};

export const liveRoute = (parts: OverviewDependencies & Pick<OpsDependencies, 'stopping'>): Route => {
  const hub = createLiveHub(
    [
      { event: 'overview', intervalMs: 5_000, read: () => readOverview(parts, Date.now()) },
      { event: 'projections', intervalMs: 2_000, read: () => readProjectionsEvent(parts) },
    ],
    parts,
  );
  return {
    method: 'get',
    path: '/ops/v1/live',
    summary: 'Changes of the state of the service, as server-sent events.',
    description: [
      '`overview` every 5 s, as `GET /ops/v1/overview` answers it; `projections` every 2 s: `{ projections, replays }`, the first as',
      '`GET /ops/v1/projections` answers it, the second those that are under way. A comment every 15 s. At most 50 at a time listen;',
      'one that does not read what it is sent is dropped, and comes again by itself.',
    ].join('\n'),
    operationId: 'followLive',
    access: 'operator',
    examples: [{ name: 'follow' }],
    schemas: { query: noParameters, otherResponses: { 'text/event-stream': 'Server-sent events with JSON data.' } },
    handle({ query, principal }) {
      parseSwitches(query, []);
      const session = principal?.kind === 'operator' ? principal.session : undefined;
      return streamResponse(200, headers, () => hub.subscribe(session && (() => session.isActive())));
    },
  };
};
