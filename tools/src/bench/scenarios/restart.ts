import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from './scenario.ts';
import { openAllServices, type AllServices } from '../testbed/systems.ts';
import { play } from '../traffic/plays.ts';

/** Duration of a projection lease. After a kill, the new process must wait until the lease of the killed process expires. */
const leaseMs = 15_000;
const pollEveryMs = 50;
const visibleTimeoutMs = 90_000;

/** Sends a play and waits until the report contains it; resolves with the time since the play was accepted, ms. */
const visibleMs = async ({ push, page }: AllServices, eventId: string, index: number): Promise<number> => {
  const at = Date.UTC(2026, 6, 1) + index * 60_000;
  const iso = (ms: number) => new Date(ms).toISOString();
  await push([{ ...play(index, eventId), playedAt: iso(at) }]);
  const began = performance.now();
  while (performance.now() - began < visibleTimeoutMs) {
    if ((await page(`from=${iso(at)}&to=${iso(at + 1_000)}`)).includes(`"${eventId}"`))
      return performance.now() - began;
    await sleep(pollEveryMs);
  }
  throw new Error(`${eventId} was not in the report after ${visibleTimeoutMs} ms`);
};

export const restart: Scenario = {
  name: 'restart',
  about: 'time until the report contains a new play, after a clean stop and after a kill of the projectors',
  async run(rig) {
    const whole = await openAllServices(rig);
    await visibleMs(whole, 'before', 0);
    const stopping = performance.now();
    await whole.projectors.stop();
    const stoppedMs = performance.now() - stopping;
    const starting = performance.now();
    const restarted = await rig.service('projectors');
    await visibleMs(whole, 'after-stop', 1);
    const afterStop = performance.now() - starting;
    process.kill(restarted.pid, 'SIGKILL');
    const killed = performance.now();
    await rig.service('projectors');
    await visibleMs(whole, 'after-kill', 2);
    const afterKill = performance.now() - killed;
    return {
      measures: [],
      figures: [
        { name: 'clean stop', value: stoppedMs, unit: 'ms' },
        { name: 'visible after a clean stop', value: afterStop, unit: 'ms' },
        { name: 'visible after kill -9', value: afterKill, unit: 'ms' },
        { name: 'visible after kill -9, past the lease', value: afterKill - leaseMs, unit: 'ms' },
      ],
    };
  },
};
