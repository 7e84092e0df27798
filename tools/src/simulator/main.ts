import { hash } from 'node:crypto';
import { printNote, printResult } from '@popsvc/cli/output';
import { parseWholeNumber, runProgram } from '@popsvc/cli/program';
import { createConnect, type ServiceConnection } from '@popsvc/cli/service-client';
import { onProcessSignal } from '@popsvc/platform/runtime';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { TrafficOptions } from './deliveries.ts';
import { formatSimulation, type SimulationResult, startProgressBar } from './output.ts';
import { runLive } from './run-live.ts';
import type { SentEvents } from './sent.ts';
import { simulate } from './simulate.ts';
import { verifyReports } from './verify.ts';
import { waitUntilReported } from './wait-until-reported.ts';
import { createWorld } from './world.ts';

interface Options {
  readonly networks: number;
  readonly devices: number;
  readonly days: number;
  readonly seed: number;
  readonly rate?: number;
  readonly until: number;
  readonly wait: boolean;
  readonly verify?: boolean;
  readonly live?: boolean;
  readonly hours: number;
  readonly minutes: number;
}

const dayMs = 86_400_000;

const midnight = (text: string): number => {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError('must be a date such as 2026-03-30.');
  return ms;
};

/**
 * The same options always generate the same events. Different options generate a different tag, so event ids from different runs
 * do not collide.
 */
const createTrafficOptions = ({ networks, devices, days, seed, until }: Options): TrafficOptions => ({
  seed,
  tag: `s${hash('sha256', JSON.stringify([networks, devices, days, seed, until])).slice(0, 6)}`,
  fromMs: until - days * dayMs,
  toMs: until,
});

/** Counts what was sent since `began`, in ms of `performance.now()`. */
const summarize = (sent: ReadonlyMap<number, SentEvents>, began: number): SimulationResult => {
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const counts = [...sent.values()].map((each) => each.counts);
  const events = counts.reduce(
    (sum, each) => sum + each.play_events + each.detection_events + each.heartbeat_events + each.interval_events,
    0,
  );
  return { seconds, events_per_second: Math.round(events / seconds), sent: counts };
};

/** Sends traffic in real time until `--minutes` have passed or the process receives SIGINT or SIGTERM. */
const simulateLive = async (options: Options, connected: ServiceConnection): Promise<SimulationResult> => {
  const stopping = new AbortController();
  onProcessSignal(['SIGINT', 'SIGTERM'], () => stopping.abort());
  const { networks, devices, seed, hours, minutes } = options;
  const began = performance.now();
  const tag = `l${hash('sha256', JSON.stringify([networks, devices, seed])).slice(0, 6)}`;
  const run = { seed, tag, hours, minutes, signal: stopping.signal };
  const sent = await runLive(createWorld(options), run, connected);
  return summarize(sent, began);
};

const today = (): string => new Date().toISOString().slice(0, 10);

const createSimulateCommand = (env: NodeJS.ProcessEnv): Command =>
  new Command('simulate')
    .description('Sends reproducible traffic of simulated networks over the public interface.')
    .option('--networks <n>', 'networks, with ids from 100 up', parseWholeNumber(1, 800), 1)
    .option('--devices <n>', 'devices, all networks together', parseWholeNumber(1, 50_000), 10)
    .option('--days <n>', 'days of traffic', parseWholeNumber(1, 366), 1)
    .option('--seed <n>', 'the same seed makes the same events', parseWholeNumber(0, 0x7fff_ffff), 1)
    .option('--rate <n>', 'maximum events per second; default: no limit', parseWholeNumber(1))
    .addOption(
      new Option('--until <date>', 'day before which the traffic ends, in UTC')
        .argParser(midnight)
        .default(midnight(today()), 'today'),
    )
    .addOption(
      new Option('--live', 'send the last hours, then real-time traffic with incidents').conflicts([
        'days',
        'until',
        'rate',
        'verify',
      ]),
    )
    .option('--hours <n>', 'with --live: hours before now that are sent at once', parseWholeNumber(0, 24), 2)
    .option('--minutes <n>', 'with --live: minutes to send in real time', parseWholeNumber(0, 1_380), 60)
    .addOption(
      new Option('--no-wait', 'end when all events are sent, before reports and views contain them').conflicts(
        'verify',
      ),
    )
    .option('--verify', 'compare coffee with the sent events')
    .option('--json', 'answer as JSON')
    .showHelpAfterError('(use --help for all options)')
    .exitOverride()
    .action(async (options: Options, command: Command) => {
      const connected = await createConnect(env)();
      if (options.live) {
        const value = await simulateLive(options, connected);
        printResult(command, { value, text: formatSimulation(value) });
        return;
      }
      const traffic = createTrafficOptions(options);
      const world = createWorld(options);
      const began = performance.now();
      const bar = startProgressBar(traffic, world.networks.length);
      const simulation = {
        ...traffic,
        rate: options.rate,
        remember: options.verify ?? false,
        onDelivered: bar.onDelivered,
      };
      const sent = await simulate(world, simulation, connected).finally(bar.stop);
      const summary = summarize(sent, began);
      if (options.wait) {
        printNote('Sent. Waiting until reports and views contain all events …');
        await waitUntilReported([...sent.keys()], connected);
      }
      const value: SimulationResult = {
        ...summary,
        ...(options.verify && { verified: await verifyReports(world, traffic, sent, connected) }),
      };
      printResult(command, { value, text: formatSimulation(value) });
      if (value.verified?.some(({ ok }) => !ok)) process.exitCode = 1;
    });

const code = await runProgram(createSimulateCommand(process.env), process.argv);
// `||=` keeps exit code 1, which the command sets if the verification fails.
process.exitCode ||= code;
