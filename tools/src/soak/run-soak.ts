import { setTimeout as sleep } from 'node:timers/promises';
import { chance } from '../rig/chance.ts';
import type { Service } from '../rig/service-process.ts';
import { reportsAsker } from './ask-reports.ts';
import { chooseFaults } from './choose-faults.ts';
import { type DoneFault, disturbing } from './disturb.ts';
import { openLedger } from './ledger.ts';
import { openLives } from './lives.ts';
import { again } from './now-and-then.ts';
import type { SoakWish } from './options.ts';
import { holdings } from './processes.ts';
import { readingsOf } from './readings.ts';
import { startReaders } from './readers.ts';
import { startReplays } from './replaying.ts';
import { setUp } from './set-up.ts';
import { startTraffic } from './traffic.ts';
import { openWeather } from './weather.ts';
import { openWitness } from './witness.ts';

export interface SoakSystem {
  /** The one that runs now: another one after everything was killed. */
  service: Service;
  readonly onLog: (line: string) => void;
}

export type Soaked = Awaited<ReturnType<typeof runSoak>>;

const minuteMs = 60_000;
const sampleEveryMs = 3_000;
const readersPauseMs = 4_000;
const replayEveryMs = 60_000;
/** For what is under way when nobody kills any more. */
const patienceMs = 10 * minuteMs;
/** Between a kill and the next, however long the service took to be whole again. */
const leastCalmMs = 5_000;

/** Sends, reads, replays and kills for so long; what is left is a service that nobody asks anything. */
export const runSoak = async (
  system: SoakSystem,
  { minutes, seed, rate }: SoakWish,
  complain: (text: string) => void,
  say: (text: string) => void,
) => {
  const [ledger, lives, weather] = [openLedger(), openLives(), openWeather()];
  const access = await setUp(system);
  const beganMs = Date.now();
  const endsMs = beganMs + minutes * minuteMs;
  const since = () => `${((Date.now() - beganMs) / minuteMs).toFixed(1)} min`;
  const ages = { calm: [] as number[], rough: [] as number[] };
  const onAge = (ageMs: number) => ages[weather.isRough() ? 'rough' : 'calm'].push(ageMs);
  const ask = reportsAsker(access, weather, onAge);
  const traffic = startTraffic(access, ledger, { seed, rate, endsMs }, complain);
  const readings = readingsOf(ask, openWitness(ledger), chance(seed + 1), beganMs);
  const readers = startReaders(readings, readersPauseMs, complain);
  const replays = startReplays(access, chance(seed + 2), replayEveryMs, complain);
  const sampling = again(() => {
    lives.note(Date.now(), holdings(system.service.pid));
    return { pauseMs: sampleEveryMs, done: Promise.resolve() };
  });

  const disturb = disturbing(system, weather);
  const faults: DoneFault[] = [];
  for (const planned of chooseFaults(seed, minutes)) {
    await sleep(Math.max(leastCalmMs, beganMs + planned.atMs - Date.now()));
    const done = await disturb(planned);
    faults.push(done);
    say(`${since()}: ${done.what} was killed, whole again after ${(done.wholeAfterMs / 1_000).toFixed(1)} s\n`);
  }
  say(`${since()}: no more kills\n`);
  await sleep(Math.max(0, endsMs - Date.now()));
  await sampling.stop();
  say(`${since()}: what is under way is ended\n`);
  const ended = Promise.all([traffic.stop(), replays.stop(), readers.stop()]).then(() => true);
  const late = sleep(patienceMs, false, { ref: false });
  if (!(await Promise.race([ended, late])))
    complain(`${patienceMs / minuteMs} minutes after the end not everything was answered for good`);
  return { beganMs, ages, ledger, lives, faults, ask, reads: readers.reads, replays: replays.done };
};
