import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '@popsvc/tools/rig';

const long = process.env['POPSVC_LONG'] === '1';

/**
 * Greatest permitted ratio of a tenant's p95 under attack to its quiet p95. The short form measures for a moment on a machine that
 * runs other specs.
 */
export const maxRatio = long ? 1.5 : 20;

/** How often quiet and attacked phases alternate, and how long each takes. */
const phases = long ? { rounds: 5, forMs: 10_000 } : { rounds: 1, forMs: 1_200 };

/** Stops an attack. */
export type StopAttack = () => Promise<unknown>;

/** Time of each request in ms. Requests follow each other with a pause, as those of a device do. */
const measureTimes = async (request: () => Promise<unknown>, forMs: number): Promise<readonly number[]> => {
  const times: number[] = [];
  const endsAt = performance.now() + forMs;
  while (performance.now() < endsAt) {
    const startedAt = performance.now();
    await request();
    times.push(performance.now() - startedAt);
    await sleep(10);
  }
  return times;
};

const p95 = (times: readonly number[]) =>
  quantile(
    [...times].sort((a, b) => a - b),
    0.95,
  );
const median = (values: readonly number[]) =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

/** The p95 of a tenant's requests in ms, while the service is quiet and while another tenant attacks. */
export interface Fairness {
  readonly quietMs: number;
  readonly attackedMs: number;
  readonly ratio: number;
}

/**
 * Measures a tenant's requests in alternating phases and prints the result. Each figure is the median of the phases, so that other
 * load on the machine disturbs it less.
 */
export const measureFairness = async (
  what: string,
  request: () => Promise<unknown>,
  attack: () => Promise<StopAttack>,
): Promise<Fairness> => {
  const quiet: number[] = [];
  const attacked: number[] = [];
  await measureTimes(request, phases.forMs / 2);
  for (let round = 0; round < phases.rounds; round++) {
    quiet.push(p95(await measureTimes(request, phases.forMs)));
    const stop = await attack();
    await sleep(1_000);
    attacked.push(p95(await measureTimes(request, phases.forMs)));
    await stop();
  }
  const [quietMs, attackedMs] = [median(quiet), median(attacked)];
  const ratio = attackedMs / quietMs;
  process.stdout.write(
    `      ${what}: p95 quiet ${quietMs.toFixed(1)} ms, under attack ${attackedMs.toFixed(1)} ms, ratio ${ratio.toFixed(2)}\n`,
  );
  return { quietMs, attackedMs, ratio };
};
