import { noParameters, type Route, streamResponse } from '@popsvc/platform/http';
import { readUnfinishedReplays } from '@popsvc/platform/postgres';
import { type OverviewDependencies, readOverview } from '../overview/overview.ts';
import { toReplay } from '../replays/replay-schema.ts';
import { createLiveHub } from './live-hub.ts';

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Disables nginx's response buffering, which would delay events.
  'X-Accel-Buffering': 'no',
};

const readProjectionsEvent = async ({ readProjections, postgres }: OverviewDependencies) => {
  const [projections, replays] = await Promise.all([readProjections(), readUnfinishedReplays(postgres)]);
  return { projections, replays: replays.map((replay) => toReplay(replay, Date.now())) };
};

export interface LiveDependencies extends OverviewDependencies {
  /**
   * Aborted when the server stops, which ends open event streams. Without this signal, a stream ends only when its client
   * disconnects.
   */
  readonly stopping?: AbortSignal | undefined;
}

export const liveRoute = (dependencies: LiveDependencies): Route => {
  const hub = createLiveHub(
    [
      { event: 'overview', intervalMs: 5_000, read: () => readOverview(dependencies, Date.now()) },
      { event: 'projections', intervalMs: 2_000, read: () => readProjectionsEvent(dependencies) },
    ],
    dependencies,
  );
  return {
    method: 'get',
    path: '/ops/v1/live',
    summary: 'Changes of the state of the service, as server-sent events.',
    description: [
      '`overview` every 5 s, like the response of `GET /ops/v1/overview`; `projections` every 2 s: `{ projections, replays }`, the first',
      'like the response of `GET /ops/v1/projections`, the second the running replays. A comment every 15 s. At most 50 clients can',
      'subscribe; one that does not read its stream is disconnected, and `EventSource` reconnects by itself.',
    ].join('\n'),
    operationId: 'followLive',
    access: 'viewer',
    examples: [{ name: 'follow' }],
    schemas: { query: noParameters, otherResponses: { 'text/event-stream': 'Server-sent events with JSON data.' } },
    handle({ principal }) {
      const session = principal?.kind === 'operator' ? principal.session : undefined;
      return streamResponse(200, headers, () => hub.subscribe(session && (() => session.isActive())));
    },
  };
};
