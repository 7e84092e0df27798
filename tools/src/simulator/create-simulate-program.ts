import { hash } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseWholeNumber, printNote, printResult } from '@popsvc/cli/program';
import { createConnect } from '@popsvc/cli/service-client';
import type { TrafficWish } from './deliveries.ts';
import { progressBar } from './progress.ts';
import { simulate } from './simulate.ts';
import { type Simulation, toldSimulation } from './told-simulation.ts';
import { verify } from './verify.ts';
import { worldOf } from './world.ts';

interface Options {
  readonly networks: number;
  readonly devices: number;
  readonly days: number;
  readonly seed: number;
  readonly rate?: number;
  readonly until: number;
  readonly verify?: boolean;
}

const dayMs = 86_400_000;

const midnight = (text: string): number => {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError('must be a date such as 2026-03-30.');
  return ms;
};

/** The same wish makes the same events; another one makes others, which do not pass for repetitions of these. */
const trafficOf = ({ networks, devices, days, seed, until }: Options): TrafficWish => ({
  seed,
  tag: `s${hash('sha256', JSON.stringify([networks, devices, days, seed, until])).slice(0, 6)}`,
  fromMs: until - days * dayMs,
  toMs: until,
});

/** By default the last day is the one on which European clocks go forward. */
const standardUntil = midnight('2026-03-30');

export const createSimulateProgram = (env: NodeJS.ProcessEnv): Command =>
  new Command('simulate')
    .description('Pushes the reproducible traffic of realistic networks through the public interface.')
    .option('--networks <n>', 'networks, with ids from 100 up', parseWholeNumber(1, 800), 1)
    .option('--devices <n>', 'devices, all networks together', parseWholeNumber(1, 50_000), 10)
    .option('--days <n>', 'days of traffic', parseWholeNumber(1, 366), 1)
    .option('--seed <n>', 'the same seed makes the same events', parseWholeNumber(0, 0x7fff_ffff), 1)
    .option('--rate <n>', 'events a second at most; default: as fast as the service takes them', parseWholeNumber(1))
    .addOption(
      new Option('--until <date>', 'day before which the traffic ends, in UTC')
        .argParser(midnight)
        .default(standardUntil, '2026-03-30'),
    )
    .option('--verify', 'wait until all is projected and hold coffee against what was sent')
    .option('--json', 'answer as JSON')
    .showHelpAfterError('(--help tells more)')
    .exitOverride()
    .action(async (options: Options, command: Command) => {
      const connected = await createConnect(env)();
      const traffic = trafficOf(options);
      const world = worldOf(options);
      const began = performance.now();
      const bar = progressBar(traffic, world.networks.length);
      const wish = { ...traffic, rate: options.rate, remember: options.verify ?? false, onDelivered: bar.onDelivered };
      const sent = await simulate(world, wish, connected).finally(bar.stop);
      const seconds = Math.round((performance.now() - began) / 100) / 10;
      const counts = [...sent.values()].map((each) => each.counts);
      const events = counts.reduce(
        (sum, each) => sum + each.play_events + each.detection_events + each.heartbeat_events + each.interval_events,
        0,
      );
      const lagged = (left: number) => left > 0 && printNote(`${left} events are not projected yet`);
      const value: Simulation = {
        seconds,
        events_per_second: Math.round(events / seconds),
        sent: counts,
        ...(options.verify && { verified: await verify(world, traffic, sent, connected, lagged) }),
      };
      printResult(command, { value, text: toldSimulation(value) });
      if (value.verified?.some(({ ok }) => !ok)) process.exitCode = 1;
    });
