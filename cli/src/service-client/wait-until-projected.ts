import { setTimeout as sleep } from 'node:timers/promises';
import { nameWithoutShard } from '@popsvc/domain/partitioning';
import { CliError } from '../output/cli-error.ts';
import { dataOf, type OpsClient, withRetries } from './ops-client.ts';

const pollMs = 500;
const stallTimeoutMs = 120_000;

/** Waits for all events in the log, in all shards. After each poll, `onLag` receives the largest lag of the projections, in events. */
export const waitUntilProjected = async (
  ops: OpsClient,
  names: readonly string[],
  onLag: (events: number) => void,
): Promise<void> => {
  let progressedAt = performance.now();
  let lastPositions = '';
  for (;;) {
    const all = await dataOf(ops.GET('/ops/v1/projections', withRetries(stallTimeoutMs)));
    const awaited = all.filter(({ name }) => names.includes(nameWithoutShard(name)));
    // An unknown lag counts as one event, so that the wait continues.
    const lag = awaited.reduce((most, { lag_events: events }) => Math.max(most, events ?? 1), 0);
    onLag(lag);
    const found = new Set(awaited.map(({ name }) => nameWithoutShard(name)));
    if (found.size === names.length && lag === 0) return;
    const positions = JSON.stringify(awaited.map(({ position }) => position));
    if (positions !== lastPositions) {
      progressedAt = performance.now();
      lastPositions = positions;
    }
    if (performance.now() - progressedAt > stallTimeoutMs) {
      const states = awaited.map(({ name, state }) => `${name} is ${state}`).join(', ');
      throw new CliError(
        `The projections made no progress for ${stallTimeoutMs / 1_000} s: ${states || 'none of them exists'}.`,
      );
    }
    await sleep(pollMs);
  }
};
