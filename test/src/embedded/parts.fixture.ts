import { setTimeout as sleep } from 'node:timers/promises';
import {
  startPart,
  stopParts,
  type BackOff,
  type Part,
  type PartLine,
  type PartOptions,
} from '@popsvc/embedded/supervise';
import { expect } from 'chai';

/** Says that it is ready, and ends with its parent. */
export const GOOD = `process.stdin.on('end', () => process.exit(0)).resume();
  process.on('SIGTERM', () => process.exit(0));
  console.log('starting'); console.error('a warning'); console.log(JSON.stringify({ ready: true, pid: process.pid }));`;
/** Does not stop when asked. */
export const STUBBORN = `process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.log('{"ready":true}')`;

export const QUICK: BackOff = { firstMs: 20, longestMs: 40, healthyAfterMs: 60_000, giveUpAfter: 3 };

/** The parts of a suite, each a Node with the given code; stopped after every test. */
export const partsOfTests = () => {
  const parts: Part[] = [];
  const lines: PartLine[] = [];
  const start = async (code: string, options: Partial<PartOptions> = {}): Promise<Part> => {
    const part = await startPart({
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
    await stopParts(parts.splice(0));
    lines.length = 0;
  });
  return { parts, lines, start };
};

export const until = async (what: () => boolean, limitMs = 5_000): Promise<void> => {
  const deadline = Date.now() + limitMs;
  while (!what() && Date.now() < deadline) await sleep(10);
  expect(what(), `within ${limitMs} ms`).to.equal(true);
};
