import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../program/failure.ts';
import type { Ops } from './ops-client.ts';

interface Standing {
  readonly name: string;
  readonly state: string;
  readonly position: string;
  /** Null: the log does not tell. */
  readonly lag_events: number | null;
}

const lookEveryMs = 500;
/** A projection that does not move for so long will not. */
const standstillMs = 120_000;

/** Resolves when the projections have handled all that is in the log; `onLag` is told how many events are left. */
export const caughtUp = async (ops: Ops, names: readonly string[], onLag: (events: number) => void): Promise<void> => {
  let [moved, before] = [performance.now(), ''];
  for (;;) {
    const all = await ops<readonly Standing[]>('/projections', { patienceMs: standstillMs });
    const ours = all.filter(({ name }) => names.includes(name));
    const lag = ours.reduce((most, { lag_events: events }) => Math.max(most, events ?? 1), 0);
    onLag(lag);
    if (ours.length === names.length && lag === 0) return;
    const now = JSON.stringify(ours.map(({ position }) => position));
    if (now !== before) [moved, before] = [performance.now(), now];
    if (performance.now() - moved > standstillMs) {
      const states = ours.map(({ name, state }) => `${name} is ${state}`).join(', ');
      throw new Failure(`The projections do not catch up: ${states || 'there are none'}.`);
    }
    await sleep(lookEveryMs);
  }
};
