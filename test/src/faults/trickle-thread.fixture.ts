import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createTestPartner } from '@popsvc/tools/rig';
import { demoPlays, sendUntilStored } from './demo-plays.fixture.ts';
import type { TrickleReport, TrickleOptions } from './trickle.fixture.ts';

const { credentials, rate, fromMs } = workerData as TrickleOptions;
const { push } = createTestPartner(credentials);
const [size, everyMs] = [rate.plays / rate.requests, 1_000 / rate.requests];

let isOver = false;
let [sent, repeated] = [0, 0];
let tookMs: number[] = [];

const sending = async () => {
  while (!isOver) {
    const began = performance.now();
    repeated += (await sendUntilStored(push, demoPlays('new', sent, size, fromMs))) - 1;
    tookMs.push(performance.now() - began);
    sent += size;
    await sleep(Math.max(0, everyMs - (performance.now() - began)));
  }
};
const ended = sending();

const sendReport = () => {
  parentPort!.postMessage({ sent, repeated, tookMs } satisfies TrickleReport);
  tookMs = [];
};

parentPort!.on('message', (request: 'report' | 'stop') => {
  if (request === 'report') {
    sendReport();
    return;
  }
  isOver = true;
  void ended.then(() => {
    sendReport();
    parentPort!.close();
  });
});
