import {
  startSupervisedProcess,
  stopInReverseOrder,
  type RestartPolicy,
  type SupervisedProcess,
  type ProcessLine,
  type ProcessOptions,
} from '@popsvc/embedded/supervisor';
import { waitUntil as waitUntilMet } from '@popsvc/tools/rig';

/** A program that becomes ready and ends with its parent. */
export const WELL_BEHAVED = `process.stdin.on('end', () => process.exit(0)).resume();
  process.on('SIGTERM', () => process.exit(0));
  console.log('starting'); console.error('a warning'); console.log(JSON.stringify({ ready: true, pid: process.pid }));`;
/** A program that ignores SIGTERM. */
export const IGNORES_SIGTERM = `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.log('{"ready":true}')`;

/** Restarts within milliseconds. */
export const FAST_RESTART: RestartPolicy = {
  initialDelayMs: 20,
  maxDelayMs: 40,
  healthyAfterMs: 60_000,
  maxConsecutiveExits: 3,
};

/** Starts processes that run the given code in Node.js, and stops them after each test. */
export const superviseInTests = () => {
  const processes: SupervisedProcess[] = [];
  const lines: ProcessLine[] = [];
  const start = async (code: string, options: Partial<ProcessOptions> = {}): Promise<SupervisedProcess> => {
    const started = await startSupervisedProcess({
      name: 'child',
      run: { command: [process.execPath, '-e', code] },
      ready: 'json-line',
      restart: FAST_RESTART,
      onLine: (line) => lines.push(line),
      ...options,
    });
    processes.push(started);
    return started;
  };
  afterEach(async () => {
    await stopInReverseOrder(processes.splice(0));
    lines.length = 0;
  });
  return { processes, lines, start };
};

export const waitUntil = async (condition: () => boolean): Promise<void> => {
  await waitUntilMet(() => Promise.resolve(condition()), Boolean, undefined, 10);
};
