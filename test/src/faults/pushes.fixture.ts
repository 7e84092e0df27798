import { setTimeout as sleep } from 'node:timers/promises';
import { deviceOf, pushedDetection, pushedPlay, screens } from './world.fixture.ts';

export interface Pushes {
  /** Ids of plays that got 202. */
  readonly acknowledged: ReadonlySet<string>;
  /** Ids of plays with another response or none: they may be in the log or not. */
  readonly unknown: ReadonlySet<string>;
  /** Number of responses by status since the last call; 0: no response. */
  answers(): Readonly<Record<number, number>>;
  /** Durations of acknowledged requests since the last call, ms. */
  latencies(): readonly number[];
  stop(): Promise<void>;
}

const perRequest = 10;

/** Sends plays, detections and heartbeats over HTTP at a constant rate, whatever the responses. */
export const startPushes = (
  baseUrl: string,
  apiKey: string,
  { everyMs, firstPlay = 1 }: { readonly everyMs: number; readonly firstPlay?: number },
): Pushes => {
  const [acknowledged, unknown] = [new Set<string>(), new Set<string>()];
  const end = new AbortController();
  const open = new Set<Promise<unknown>>();
  let answered: Record<number, number> = {};
  let tookMs: number[] = [];
  let play = firstPlay;

  const post = async (path: string, body: unknown): Promise<number> => {
    const began = performance.now();
    const status = await fetch(`${baseUrl}/popsvc/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
    answered[status] = (answered[status] ?? 0) + 1;
    if (status === 202) tookMs.push(performance.now() - began);
    return status;
  };

  const plays = async (first: number) => {
    const events = Array.from({ length: perRequest }, (_, index) => pushedPlay(first + index));
    const status = await post('/pop/events', { events });
    for (const { eventId } of events) (status === 202 ? acknowledged : unknown).add(eventId);
  };
  const more = async (first: number) => {
    const detections = Array.from({ length: 3 }, (_, index) => pushedDetection(first + 2 * index));
    await post('/audience/detections', { detections });
    const deviceId = deviceOf(first % screens);
    await post('/heartbeats', { heartbeats: [{ deviceId, at: new Date().toISOString() }] });
  };

  const pushing = (async () => {
    for (let round = 0; !end.signal.aborted; round += 1) {
      const began = performance.now();
      const sent = plays(play).then(() => (round % 5 === 0 ? more(play - perRequest) : undefined));
      open.add(sent);
      void sent.finally(() => open.delete(sent));
      play += perRequest;
      await sleep(Math.max(1, everyMs - (performance.now() - began)));
    }
  })();

  return {
    acknowledged,
    unknown,
    answers() {
      const was = answered;
      answered = {};
      return was;
    },
    latencies() {
      const was = tookMs;
      tookMs = [];
      return was;
    },
    async stop() {
      end.abort();
      await pushing;
      await Promise.all(open);
    },
  };
};
