import { type Route, streamResponse } from '@popsvc/platform/http';
import { unfinishedReplays } from '@popsvc/platform/postgres';
import { switches } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { type OverviewParts, tellOverview } from '../overview/tell-overview.ts';
import { noParameters } from '../parameters.ts';
import { toldReplay } from '../replays/told-replay.ts';
import { createLiveHub } from './live-hub.ts';

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Proxies that collect answers would hold news back.
  'X-Accel-Buffering': 'no',
};

const tellProjections = async ({ readProjections, postgres }: OverviewParts) => {
  const [standings, replays] = await Promise.all([readProjections(), unfinishedReplays(postgres)]);
  return { projections: standings, replays: replays.map((replay) => toldReplay(replay, Date.now())) };
};

export const liveRoute = (parts: OverviewParts & Pick<OpsDependencies, 'stopping'>): Route => {
  const hub = createLiveHub(
    [
      { event: 'overview', everyMs: 5_000, tell: () => tellOverview(parts, Date.now()) },
      { event: 'projections', everyMs: 2_000, tell: () => tellProjections(parts) },
    ],
    parts,
  );
  return {
    method: 'get',
    path: '/ops/v1/live',
    summary: 'What changes, as it changes: server-sent events.',
    description: [
      '`overview` every 5 s, as `GET /ops/v1/overview` answers it; `projections` every 2 s: `{ projections, replays }`, the first as',
      '`GET /ops/v1/projections` answers it, the second those that are under way. A comment every 15 s. At most 50 at a time listen;',
      'one that does not read what it is sent is dropped, and comes again by itself.',
    ].join('\n'),
    operationId: 'followLive',
    access: 'operator',
    examples: [{ name: 'follow' }],
    schemas: { query: noParameters, otherResponses: { 'text/event-stream': 'Events, each a line of JSON.' } },
    handle({ query, principal }) {
      switches(query, []);
      const session = principal?.kind === 'operator' ? principal.session : undefined;
      return streamResponse(200, headers, () => hub.listen(session && (() => session.isActive())));
    },
  };
};
