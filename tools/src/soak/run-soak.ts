import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '../rig/random.ts';
import type { Service } from '../rig/service-process.ts';
import { registerSoakNetworks } from './access.ts';
import { createKiller, type DoneFault, createFaultWindow, planFaults } from './faults.ts';
import { createLedger } from './ledger.ts';
import { readResourceUse, createProcessRuns } from './processes.ts';
import { createReaders, createReportRequester, startReaders } from './readers.ts';
import { startReplays } from './replays.ts';
import { startRepeating, startTraffic } from './traffic.ts';
import { createReportChecker } from './report-checker.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Plays per second, in total for all networks. */
  readonly rate: number;
  /** Whether processes are killed. */
  readonly kills: boolean;
}

const parseNumber = (name: string, text: string, min: number): number => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= min)) throw new Error(`--${name} must be a number of at least ${min}.`);
  return value;
};

/** Parses the command line. Throws an error that names the invalid option. */
export const parseSoakOptions = (args: readonly string[]): SoakOptions => {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  const options = {
    minutes: text('10'),
    seed: text('1'),
    rate: text('100'),
    'no-kills': { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  return {
    minutes: parseNumber('minutes', values.minutes, 1),
    seed: parseNumber('seed', values.seed, 0),
    rate: parseNumber('rate', values.rate, 1),
    kills: !values['no-kills'],
  };
};

export interface SoakSystem {
  /** The running service. It is replaced after a kill of all processes. */
  service: Service;
  readonly onLog: (line: string) => void;
}

export type SoakResult = Awaited<ReturnType<typeof runSoak>>;

const minuteMs = 60_000;
const sampleEveryMs = 3_000;
const readersPauseMs = 4_000;
const replayEveryMs = 60_000;
/** Timeout for the requests that are still active at the end of the run. */
const finishTimeoutMs = 10 * minuteMs;
/** Minimum time between a recovery and the next kill. */
const minPauseMs = 5_000;

/**
 * Runs traffic, readers, replays and kills for the given time. Resolves when all of them have ended, or after `finishTimeoutMs` at the
 * latest.
 */
export const runSoak = async (
  system: SoakSystem,
  { minutes, seed, rate, kills }: SoakOptions,
  addFailure: (text: string) => void,
  log: (text: string) => void,
) => {
  const [ledger, runs, faultWindow] = [createLedger(), createProcessRuns(), createFaultWindow()];
  const access = await registerSoakNetworks(system);
  const beganMs = Date.now();
  const endsMs = beganMs + minutes * minuteMs;
  const elapsed = () => `${((Date.now() - beganMs) / minuteMs).toFixed(1)} min`;
  const ages = { outside: [] as number[], inside: [] as number[] };
  const onAge = (ageMs: number) => ages[faultWindow.isOpen() ? 'inside' : 'outside'].push(ageMs);
  const requestReport = createReportRequester(access, faultWindow, onAge);
  const traffic = startTraffic(access, ledger, { seed, rate, endsMs }, addFailure);
  const readers = createReaders(requestReport, createReportChecker(ledger), createRandom(seed + 1), beganMs);
  const reading = startReaders(readers, readersPauseMs, addFailure);
  const replays = startReplays(access, createRandom(seed + 2), replayEveryMs, addFailure);
  const sampling = startRepeating(() => {
    runs.add(Date.now(), readResourceUse(system.service.pid));
    return { pauseMs: sampleEveryMs, done: Promise.resolve() };
  });

  const kill = createKiller(system, faultWindow);
  const faults: DoneFault[] = [];
  for (const planned of kills ? planFaults(seed, minutes) : []) {
    await sleep(Math.max(minPauseMs, beganMs + planned.atMs - Date.now()));
    const done = await kill(planned);
    faults.push(done);
    log(`${elapsed()}: ${done.what} was killed and recovered after ${(done.recoveredAfterMs / 1_000).toFixed(1)} s\n`);
  }
  log(`${elapsed()}: no more kills\n`);
  await sleep(Math.max(0, endsMs - Date.now()));
  await sampling.stop();
  log(`${elapsed()}: waiting for active requests\n`);
  const ended = Promise.all([traffic.stop(), replays.stop(), reading.stop()]).then(() => true);
  const timedOut = sleep(finishTimeoutMs, false, { ref: false });
  if (!(await Promise.race([ended, timedOut])))
    addFailure(`${finishTimeoutMs / minuteMs} minutes after the end, some requests still have no final response`);
  return { beganMs, ages, ledger, runs, faults, requestReport, reads: reading.reads, replays: replays.done };
};
