import { setTimeout as sleep } from 'node:timers/promises';
import type { createTestPartner } from '@popsvc/tools/rig';

type Push = ReturnType<typeof createTestPartner>['push'];

/** Plays of the demo network, one a second from an instant on. */
export const demoPlays = (prefix: string, first: number, count: number, fromMs: number) =>
  Array.from({ length: count }, (_, index) => ({
    eventId: `${prefix}-${first + index}`,
    screenId: 'demo-screen-1',
    campaignId: 'DEMO-1',
    creativeId: 'DEMO-CR-1',
    playedAt: new Date(fromMs + (first + index) * 1_000).toISOString(),
    durationMs: 900,
  }));

/** Sends events until they are stored, with retries after 503 as vendors do. Returns the number of requests. */
export const sendUntilStored = async (push: Push, events: readonly unknown[]): Promise<number> => {
  for (let times = 1; ; times += 1) {
    const answer = await push('/pop/events', { events });
    if (answer.status === 202) return times;
    if (answer.status !== 503) throw new Error(`answered ${answer.status}: ${await answer.text()}`);
    await sleep(1_000);
  }
};

const perRequest = 1_000;
const lanes = 4;

/** Sends a number of plays as fast as they are accepted. */
export const fill = async (push: Push, count: number, fromMs: number): Promise<void> => {
  let next = 0;
  const lane = async () => {
    for (let first = next; first < count; first = next) {
      next = first + perRequest;
      await sendUntilStored(push, demoPlays('old', first, Math.min(perRequest, count - first), fromMs));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};
