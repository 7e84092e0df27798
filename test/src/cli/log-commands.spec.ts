import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { closedLog, flipBit, segmentFile } from '../event-store/log.fixture.ts';
import { popsvcInProcess } from './popsvc.fixture.ts';

const popsvc = popsvcInProcess({});

describe('popsvc log', function () {
  it('verifies a whole log, and with --json prints its counts', async () => {
    const { dir } = await closedLog();
    const { code, stdout } = await popsvc('log', 'verify', dir);
    expect([code, stdout]).to.deep.equal([
      0,
      `${dir}: 100 whole events in 1 segments, up to position ${sizeOf(dir)}\nno damage\n`,
    ]);
    expect(JSON.parse((await popsvc('log', 'verify', dir, '--json')).stdout)).to.include({
      events: 100,
      torn_bytes: 0,
    });
  });

  it('reports damage with file, position and what follows, repairs it, and says what is lost', async () => {
    const { dir, positions } = await closedLog();
    flipBit(segmentFile(dir), positions[3]! + 100);
    const verified = await popsvc('log', 'verify', dir);
    expect(verified.code).to.equal(1);
    expect(verified.stdout).to.contain(`${segmentFile(dir)}, position ${positions[3]!}: no whole record`);
    expect(verified.stdout).to.contain('80 whole events follow');
    expect(verified.stderr).to.equal('popsvc: the log is damaged in 1 places\n');
    const repaired = await popsvc('log', 'repair', dir);
    expect(repaired.code).to.equal(0);
    expect(repaired.stdout)
      .to.contain(`are in ${dir}/removed-`)
      .and.to.match(/^s +19 +the revisions around them$/m);
    const again = await popsvc('log', 'repair', dir);
    expect([again.code, again.stdout]).to.deep.equal([0, `${dir}: no damage, nothing was changed\n`]);
    expect((await popsvc('log', 'verify', dir)).stdout).to.contain('99 whole events');
  });

  it('reports a torn end and a lost durable end, which the next start handles by itself', async () => {
    const { dir } = await closedLog();
    writeFileSync(segmentFile(dir), Buffer.alloc(123, 7), { flag: 'a' });
    writeFileSync(join(dir, 'durable-end'), '');
    const { code, stdout } = await popsvc('log', 'verify', dir);
    expect(code).to.equal(0);
    expect(stdout).to.contain('123 bytes of an unfinished write').and.to.contain('durable-end is missing or invalid');
  });

  it('names a folder without a log', async () => {
    const { code, stderr } = await popsvc('log', 'verify');
    expect([code, stderr]).to.deep.equal([1, 'popsvc: there is no event log in /nowhere/event-store\n']);
  });
});

const sizeOf = (dir: string): number => readFileSync(segmentFile(dir)).length;
