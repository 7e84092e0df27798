import { randomUUID } from 'node:crypto';
import { ask } from './ask.ts';
import { refusalOf } from './service-refusal.ts';

/** What vendors push, and where. */
export const intakes = {
  plays: { path: '/popsvc/v1/pop/events', list: 'events' },
  detections: { path: '/popsvc/v1/audience/detections', list: 'detections' },
  heartbeats: { path: '/popsvc/v1/heartbeats', list: 'heartbeats' },
  intervals: { path: '/popsvc/v1/intervals', list: 'intervals' },
} as const;
export type IntakeName = keyof typeof intakes;

export interface Target {
  readonly ingestUrl: string;
  readonly apiKey: string;
}

/** Events as JSON text, one an item. Resolves with how many the service took in: all, or it is refused. */
export type Push = (texts: readonly string[]) => Promise<number>;

const patienceMs = 5 * 60_000;
const timeoutMs = 60_000;

/** Sends one batch until the service has answered it; a batch that is told again is taken in once. */
export const pusher = ({ ingestUrl, apiKey }: Target, intake: IntakeName): Push => {
  const { path, list } = intakes[intake];
  return async (texts) => {
    const response = await ask({
      method: 'POST',
      url: ingestUrl + path,
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey, 'idempotency-key': randomUUID() },
      body: `{"${list}":[${texts.join(',')}]}`,
      patienceMs,
      timeoutMs,
    });
    if (response.status !== 202) throw await refusalOf(response);
    return ((await response.json()) as { eventCount: number }).eventCount;
  };
};
