import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSchedule } from '@popsvc/platform/runtime';
import { createLog } from '@popsvc/platform/telemetry';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';

describe('a schedule', () => {
  it('logs, and prints nowhere else, a run that was missed while the process was paused', async () => {
    const written = new PassThrough();
    const everySecond = startSchedule(
      'tests',
      '* * * * * *',
      () => Promise.resolve(),
      createLog('test', 'info', written),
    );
    await sleep(50);
    // Like a process that is stopped and continued: nothing runs while the clock advances.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_200);
    await waitUntil(
      () => Promise.resolve(written.readableLength),
      (bytes) => bytes > 0,
    );
    await everySecond.stop();
    const lines = String(written.read() ?? '')
      .trimEnd()
      .split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { schedule: string; msg: string; detail: string });
    expect(entries[0]).to.include({ schedule: 'tests', msg: 'scheduler reported a warning' });
    expect(entries[0]!.detail).to.match(/missed/);
  });
});
