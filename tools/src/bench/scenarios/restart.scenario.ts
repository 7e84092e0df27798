import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../harness/scenario.ts';
import { openWholeService, type WholeService } from '../testbed/whole-service.ts';
import { play } from '../traffic/plays.ts';

/** How long a projection that nobody renews stays with its dead owner. */
const leaseMs = 15_000;
const lookEveryMs = 50;
const patienceMs = 90_000;

/** Sends a play and waits until the report holds it, ms. */
const visibleMs = async ({ push, page }: WholeService, eventId: string, index: number): Promise<number> => {
  const at = Date.UTC(2026, 6, 1) + index * 60_000;
  const iso = (ms: number) => new Date(ms).toISOString();
  await push([{ ...play(index, eventId), playedAt: iso(at) }]);
  const began = performance.now();
  while (performance.now() - began < patienceMs) {
    if ((await page(`from=${iso(at)}&to=${iso(at + 1_000)}`)).includes(`"${eventId}"`))
      return performance.now() - began;
    await sleep(lookEveryMs);
  }
  throw new Error(`${eventId} was not in the report after ${patienceMs} ms`);
};

export const restart: Scenario = {
  name: 'restart',
  about: 'the projectors stopped, and killed: until a new process has the next play in the report',
  async run(rig) {
    const whole = await openWholeService(rig);
    await visibleMs(whole, 'before', 0);
    const stopping = performance.now();
    await whole.projectors.stop();
    const stoppedMs = performance.now() - stopping;
    const starting = performance.now();
    const again = await rig.service('projectors');
    const afterStop = (await visibleMs(whole, 'after-stop', 1), performance.now() - starting);
    process.kill(again.pid, 'SIGKILL');
    const killed = performance.now();
    await rig.service('projectors');
    await visibleMs(whole, 'after-kill', 2);
    const afterKill = performance.now() - killed;
    return {
      measures: [],
      metrics: [
        { name: 'clean stop', value: stoppedMs, unit: 'ms' },
        { name: 'visible after a clean stop', value: afterStop, unit: 'ms' },
        { name: 'visible after kill -9', value: afterKill, unit: 'ms' },
        { name: 'visible after kill -9, past the lease', value: afterKill - leaseMs, unit: 'ms' },
      ],
    };
  },
};
