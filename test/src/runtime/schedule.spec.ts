import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSchedule } from '@popsvc/platform/runtime';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';

describe('a schedule', () => {
  it('says in the log, and nowhere else, that a run was missed while the process stood still', async () => {
    const written = new PassThrough();
    const everySecond = startSchedule(
      'tests',
      '* * * * * *',
      () => Promise.resolve(),
      createLog('test', 'info', written),
    );
    await sleep(50);
    // As when the process is stopped and goes on: nothing runs, and the clock does.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_200);
    await sleep(50);
    await everySecond.stop();
    const lines = String(written.read() ?? '')
      .trimEnd()
      .split('\n');
    const told = lines.map((line) => JSON.parse(line) as { schedule: string; msg: string });
    expect(told[0]).to.include({ schedule: 'tests' });
    expect(told[0]!.msg).to.match(/missed/);
  });
});
