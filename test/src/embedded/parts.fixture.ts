import { setTimeout as sleep } from 'node:timers/promises';
import {
  startSupervisedProcess,
  stopInReverseOrder,
  type RestartPolicy,
  type SupervisedProcess,
  type ProcessLine,
  type ProcessOptions,
} from '@popsvc/embedded/supervisor';
import { expect } from 'chai';

/** Says that it is ready, and ends with its parent. */
export const GOOD = `process.stdin.on('end', () => process.exit(0)).resume();
  process.on('SIGTERM', () => process.exit(0));
  console.log('starting'); console.error('a warning'); console.log(JSON.stringify({ ready: true, pid: process.pid }));`;
/** Does not stop when asked. */
export const STUBBORN = `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.log('{"ready":true}')`;

export const QUICK: RestartPolicy = {
  initialDelayMs: 20,
  maxDelayMs: 40,
  healthyAfterMs: 60_000,
  maxConsecutiveExits: 3,
};

/** The parts of a suite, each a Node with the given code; stopped after every test. */
export const partsOfTests = () => {
  const parts: SupervisedProcess[] = [];
  const lines: ProcessLine[] = [];
  const start = async (code: string, options: Partial<ProcessOptions> = {}): Promise<SupervisedProcess> => {
    const part = await startSupervisedProcess({
      name: 'part',
      run: { command: [process.execPath, '-e', code] },
      ready: 'json-line',
      restart: QUICK,
      onLine: (line) => lines.push(line),
      ...options,
    });
    parts.push(part);
    return part;
  };
  afterEach(async () => {
    await stopInReverseOrder(parts.splice(0));
    lines.length = 0;
  });
  return { parts, lines, start };
};

export const until = async (what: () => boolean, limitMs = 5_000): Promise<void> => {
  const deadline = Date.now() + limitMs;
  while (!what() && Date.now() < deadline) await sleep(10);
  expect(what(), `within ${limitMs} ms`).to.equal(true);
};
