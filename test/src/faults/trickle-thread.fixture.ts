import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createTestPartner } from '@popsvc/tools/rig';
import { demoPlays, stored } from './demo-plays.fixture.ts';
import type { Told, Trickled } from './trickle.fixture.ts';

const { credentials, rate, fromMs } = workerData as Trickled;
const { push } = createTestPartner(credentials);
const [size, everyMs] = [rate.plays / rate.requests, 1_000 / rate.requests];

let isOver = false;
let [sent, repeated] = [0, 0];
let tookMs: number[] = [];

const sending = async () => {
  while (!isOver) {
    const began = performance.now();
    repeated += (await stored(push, demoPlays('new', sent, size, fromMs))) - 1;
    tookMs.push(performance.now() - began);
    sent += size;
    await sleep(Math.max(0, everyMs - (performance.now() - began)));
  }
};
const ended = sending();

const tell = () => {
  parentPort!.postMessage({ sent, repeated, tookMs } satisfies Told);
  tookMs = [];
};

parentPort!.on('message', (asked: 'told' | 'stop') => {
  if (asked === 'told') {
    tell();
    return;
  }
  isOver = true;
  void ended.then(() => {
    tell();
    parentPort!.close();
  });
});
