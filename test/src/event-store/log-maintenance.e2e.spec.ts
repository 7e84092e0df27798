import { spawnSync } from 'node:child_process';
import fs, {
  appendFileSync,
  cpSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import sinon from 'sinon';
import { repairLog, verifyLog } from '@popsvc/embedded/event-store';
import { temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import {
  appendTo,
  closedLog,
  exchangeSegments,
  flipBit,
  numbersUpTo,
  openLog,
  revisionsIn,
  sealedLog,
  segmentBases,
  segmented,
  segmentFile,
} from './log.fixture.ts';
import { refusal } from './store.fixture.ts';

const now = Date.UTC(2026, 10, 23, 15, 0, 0);

const readScrub = (dir: string) => {
  try {
    return JSON.parse(readFileSync(join(dir, 'scrub.json'), 'utf8')) as {
      segments: { base: number; damages: { file: string; position?: number; what: string }[] }[];
      unchecked: number;
    };
  } catch {
    return undefined;
  }
};

/** Lets reads that touch a page of a file fail, as on a disk with an unreadable sector. `inode`: of the file under any name. */
const failReadsOf = (inode: number, page: number): void => {
  const read = fs.readSync.bind(fs) as (...args: unknown[]) => number;
  sinon.stub(fs, 'readSync').callsFake(((fd: number, bytes: Buffer, at: number, length: number, position: number) => {
    const from = page * 4096;
    if (position < from + 4096 && position + length > from && fs.fstatSync(fd).ino === inode)
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    return read(fd, bytes, at, length, position);
  }) as typeof fs.readSync);
};

describe('event store: verification and repair of a log', function () {
  afterEach(() => sinon.restore());

  it('verifies a log while a node appends to it', async () => {
    const log = await openLog(await temporaryFolder('verified'), segmented);
    const done = new AbortController();
    const appending = (async () => {
      while (!done.signal.aborted) await appendTo(log, 's', 3);
    })();
    for (let round = 0; round < 10; round += 1) {
      const { damages } = await verifyLog(log.dir);
      expect(damages).to.deep.equal([]);
    }
    done.abort();
    await appending;
    await log.store.close();
    const { events } = await verifyLog(log.dir);
    expect(events).to.equal((await openAndRead(log.dir)).length);
  });

  it('ends although a segment becomes shorter while it is read', async () => {
    const { dir } = await sealedLog();
    const file = segmentFile(dir, segmentBases(dir)[1]);
    const read = fs.readSync.bind(fs) as (...args: unknown[]) => number;
    const { ino } = statSync(file);
    sinon.stub(fs, 'readSync').callsFake((fd: number, ...rest: unknown[]) => {
      if (fs.fstatSync(fd).ino === ino) truncateSync(file, 1_000);
      return read(fd, ...rest);
    });
    expect((await verifyLog(dir)).damages.map((damage) => damage.file)).to.include(file);
  });

  it('finds a changed byte anywhere in a sealed segment by its hash or its frames, and names the place', async () => {
    const { dir } = await sealedLog();
    const file = segmentFile(dir, segmentBases(dir)[1]);
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += 97) {
      flipBit(file, at);
      const { damages } = await verifyLog(dir);
      expect(
        damages.map((damage) => damage.file),
        `byte ${at}`,
      ).to.include(file);
      writeFileSync(file, whole);
    }
    expect((await verifyLog(dir)).damages).to.deep.equal([]);
  });

  it('repairs a flipped bit: only that event is lost, it is named, positions and the other revisions stay', async () => {
    const { dir, positions } = await closedLog();
    flipBit(segmentFile(dir), positions[3]! + 100);
    const original = readFileSync(segmentFile(dir));
    const report = await repairLog(dir, now);
    expect(report.folder).to.equal(join(dir, 'removed-20261123T150000000Z'));
    expect(report.revisions).to.deep.equal([{ stream: 's', from: 19, to: 19, isCertain: true }]);
    expect(report.places).to.have.length(1);
    expect(report.places[0]).to.include({ file: segmentFile(dir), from: positions[3] });
    expect(readFileSync(join(report.folder!, '0000000000000000.log')).equals(original), 'nothing is deleted').to.equal(
      true,
    );
    expect((await verifyLog(dir)).damages).to.deep.equal([]);
    const log = await openLog(dir);
    expect(await revisionsIn(log, 's')).to.deep.equal(numbersUpTo(100).filter((n) => n !== 19));
    const outcome = await appendTo(log, 's', 1);
    expect(outcome.is === 'appended' && outcome.revision === 100 && outcome.position! > positions.at(-1)!).to.equal(
      true,
    );
    await log.store.close();
    expect(await repairLog(dir, now)).to.include({ folder: null });
    flipBit(segmentFile(dir), positions[5]! + 100);
    const [place] = (await repairLog(dir, now + 1)).places;
    const list = readFileSync(join(dir, 'repairs.ndjson'), 'utf8').trimEnd().split('\n');
    const rangeOf = ({ from, to }: { from: number; to: number }) => ({ from, to });
    const listed = list.map((line) => JSON.parse(line) as { sha256: string; repaired_at: string; ranges: unknown });
    expect(listed.map(({ sha256: _, ...repair }) => repair)).to.deep.equal([
      { repaired_at: '2026-11-23T15:00:00.000Z', ranges: [rangeOf(report.places[0]!)] },
      { repaired_at: '2026-11-23T15:00:00.001Z', ranges: [rangeOf(place!)] },
    ]);
  });

  it('repairs missing, shortened, exchanged and overwritten segments, and says which revisions are lost', async () => {
    const harms: [string, (dir: string) => void, (lost: number) => boolean][] = [
      ['removed', (dir) => rmSync(segmentFile(dir, segmentBases(dir)[2])), (lost) => lost > 5],
      ['removed at the start', (dir) => rmSync(segmentFile(dir)), (lost) => lost > 5],
      ['cut short', (dir) => truncateSync(segmentFile(dir, segmentBases(dir)[1]), 3000), (lost) => lost > 0],
      ['exchanged', exchangeSegments, (lost) => lost === 0],
      [
        'overwritten with zeros',
        (dir) => {
          const file = segmentFile(dir, segmentBases(dir)[1]);
          writeFileSync(file, readFileSync(file).fill(0, 1000, 2000));
        },
        (lost) => lost > 0,
      ],
      [
        'with bytes inserted',
        (dir) => {
          const file = segmentFile(dir, segmentBases(dir)[1]);
          const bytes = readFileSync(file);
          writeFileSync(file, Buffer.concat([bytes.subarray(0, 1500), bytes.subarray(1000)]));
        },
        (lost) => lost > 0,
      ],
      [
        'with a few bytes behind its end',
        (dir) => appendFileSync(segmentFile(dir, segmentBases(dir)[1]), 'more'),
        (lost) => lost === 0,
      ],
      ['with a damaged header', (dir) => flipBit(segmentFile(dir, segmentBases(dir)[1]), 30), (lost) => lost === 0],
      ['with a damaged manifest', (dir) => flipBit(join(dir, 'sealed-segments.ndjson'), 30), (lost) => lost === 0],
    ];
    for (const [title, harm, isExpected] of harms) {
      const { dir } = await sealedLog();
      harm(dir);
      const { revisions, folder } = await repairLog(dir, now);
      expect(folder, title).to.be.a('string');
      const lost = new Set(revisions.flatMap(({ from, to }) => numbersUpTo(to - from + 1).map((n) => from + n)));
      expect(isExpected(lost.size), `${title}: ${lost.size} lost`).to.equal(true);
      expect((await verifyLog(dir)).damages, title).to.deep.equal([]);
      expect(await openAndRead(dir), title).to.deep.equal(numbersUpTo(100).filter((n) => !lost.has(n)));
    }
  });

  it('removes a record that crosses the stored end of a segment, in a file of another log', async () => {
    const { dir } = await sealedLog();
    const other = await openLog(await temporaryFolder('other'));
    for (let n = 0; n < 20; n += 1) await appendTo(other, 's', 5, 311);
    await other.store.close();
    cpSync(segmentFile(other.dir), segmentFile(dir));
    const { places } = await repairLog(dir, now);
    expect(places).to.have.length(1);
    expect(places[0]!.to).to.equal(segmentBases(dir)[1]);
    expect((await verifyLog(dir)).damages).to.deep.equal([]);
    await openAndRead(dir);
  });

  it('completes a repair that was killed while it renamed segments', async () => {
    const { dir } = await sealedLog();
    exchangeSegments(dir);
    const script = `import('node:fs').then(async ({ default: fs }) => {
      let steps = Number(process.argv[2]);
      for (const name of ['linkSync', 'renameSync', 'rmSync']) {
        const call = fs[name];
        fs[name] = (...args) => ((steps -= 1) < 0 ? process.kill(process.pid, 'SIGKILL') : call(...args));
      }
      const { repairLog } = await import('@popsvc/embedded/event-store');
      await repairLog(process.argv[1], ${now});
    });`;
    for (let steps = 0; steps < 7; steps += 1) {
      const copy = join(await temporaryFolder('repair'), 'log');
      cpSync(dir, copy, { recursive: true });
      const { signal } = spawnSync(process.execPath, ['-e', script, copy, String(steps)], { cwd: import.meta.dirname });
      expect(signal, `after ${steps} steps`).to.equal('SIGKILL');
      await repairLog(copy, now + 1_000);
      expect((await verifyLog(copy)).damages, `after ${steps} steps`).to.deep.equal([]);
      expect(await openAndRead(copy), `after ${steps} steps`).to.deep.equal(numbersUpTo(100));
    }
  });

  it('repairs a newest segment that is cut short, and never assigns its positions again', async () => {
    const { dir, positions } = await closedLog();
    truncateSync(segmentFile(dir), positions[17]);
    const { revisions } = await repairLog(dir, now);
    expect(revisions, 'nothing shows what the missing bytes contained').to.deep.equal([]);
    const log = await openLog(dir);
    const outcome = await appendTo(log, 's', 1);
    expect(outcome.is === 'appended' && outcome.position! > positions.at(-1)!).to.equal(true);
    await log.store.close();
  });

  it('moves segments of another log away, and keeps its own', async () => {
    const { dir } = await sealedLog();
    const bases = segmentBases(dir);
    const between = bases[1]! + 100;
    const behind = bases.at(-1)! + 100;
    for (const [base, previousBase] of [
      [between, bases[0]!],
      [behind, bases[1]!],
    ] as const) {
      const foreign = readFileSync(segmentFile(dir, bases[1]));
      foreign.writeDoubleLE(base, 24);
      foreign.writeDoubleLE(previousBase, 32);
      foreign.writeUInt32LE(crc32(foreign.subarray(0, 60)), 60);
      writeFileSync(segmentFile(dir, base), foreign);
    }
    expect((await refusal(openLog(dir)))['message']).to.contain('does not belong to this log');
    const { folder, damages, revisions } = await repairLog(dir, now);
    expect(damages.filter((damage) => damage.includes('does not belong'))).to.have.length(2);
    expect(revisions).to.deep.equal([]);
    expect(segmentBases(folder!)).to.include.members([between, behind]);
    expect(segmentBases(dir)).to.deep.equal(bases);
    expect((await verifyLog(dir)).damages).to.deep.equal([]);
    expect(await openAndRead(dir)).to.deep.equal(numbersUpTo(100));
  });

  it('counts a sector that the disk cannot read as damage, and repairs it', async () => {
    const { dir, positions } = await closedLog();
    const { ino } = statSync(segmentFile(dir));
    failReadsOf(ino, 2);
    const message = String((await refusal(openLog(dir)))['message']);
    expect(message).to.contain('is damaged, so the node does not start').and.to.contain(segmentFile(dir));
    const { damages } = await verifyLog(dir);
    expect(damages).to.have.length(1);
    expect(damages[0]!.position).to.be.within(positions[0]!, 2 * 4096);
    const { revisions } = await repairLog(dir, now);
    expect(revisions).to.have.length(1);
    const { from, to } = revisions[0]!;
    expect(to - from, 'only the events in that sector are lost').to.be.within(4, 20);
    expect((await verifyLog(dir)).damages).to.deep.equal([]);
    expect(await openAndRead(dir)).to.deep.equal(numbersUpTo(100).filter((n) => n < from || n > to));
  });

  it('finds an unreadable sector also where zeros were stored, and removes one behind the stored end', async () => {
    const { dir } = await closedLog();
    const file = segmentFile(dir);
    truncateSync(file, 20_000);
    await repairLog(dir, now);
    const { ino, size } = statSync(file);
    appendFileSync(file, Buffer.alloc(10_000));
    failReadsOf(ino, Math.floor(25_000 / 4096));
    expect((await verifyLog(dir)).damages, 'in the gap of the repair').to.have.length(1);
    sinon.restore();
    failReadsOf(ino, Math.floor((size + 5_000) / 4096));
    expect((await verifyLog(dir)).damages, 'behind the stored end').to.deep.equal([]);
    const log = await openLog(dir);
    expect(log.notes).to.deep.equal(['torn tail cut']);
    await log.store.close();
  });

  it('verifies and repairs the newest segment when the durable end is older and names the segment before', async () => {
    const { dir } = await closedLog();
    const olderEnd = readFileSync(join(dir, 'durable-end'));
    // 100 events are more than this size, so that the next append begins the second segment.
    const log = await openLog(dir, { segmentBytes: 20_000 });
    const positions: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const outcome = await appendTo(log, 's', 5);
      if (outcome.is === 'appended') positions.push(outcome.position!);
    }
    await log.store.close();
    writeFileSync(join(dir, 'durable-end'), olderEnd);
    const [, newest] = segmentBases(dir);
    expect((await verifyLog(dir)).events, 'no marker proves that the last append was durable').to.equal(115);
    flipBit(segmentFile(dir, newest), positions[1]! - newest! + 100);
    expect((await refusal(openLog(dir)))['name']).to.equal('LogDamagedError');
    const { damages } = await verifyLog(dir);
    expect(damages).to.have.length(1);
    expect(damages[0]).to.include({ file: segmentFile(dir, newest), position: positions[1], eventsAfter: 5 });
    const { revisions } = await repairLog(dir, now);
    expect(revisions).to.deep.equal([{ stream: 's', from: 109, to: 109, isCertain: true }]);
    expect(await openAndRead(dir)).to.deep.equal(numbersUpTo(120).filter((n) => n !== 109));
  });

  it('repairs nothing while a node uses the log', async () => {
    const log = await openLog(await temporaryFolder('in-use'));
    await appendTo(log, 's', 1);
    expect((await refusal(repairLog(log.dir, now)))['message']).to.contain('is in use by another process');
    await log.store.close();
    expect(
      readdirSync(dirname(log.dir)).filter((name) => name.startsWith(`${basename(log.dir)}-removed`)),
    ).to.deep.equal([]);
  });

  it('opens a damaged log read-only with what is whole, and changes no file', async () => {
    const { dir, positions } = await closedLog();
    flipBit(segmentFile(dir), positions[3]! + 100);
    const before = readdirSync(dir).map((name) => [name, readFileSync(join(dir, name)).toString('base64')]);
    const log = await openLog(dir, { readOnly: true });
    expect(log.notes).to.deep.equal(['the event log is damaged']);
    expect(await revisionsIn(log, 's')).to.deep.equal(numbersUpTo(100).filter((n) => n !== 19));
    expect((await refusal(appendTo(log, 's', 1)))['message']).to.contain('--read-only');
    await log.store.close();
    expect(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name)).toString('base64')])).to.deep.equal(
      before,
    );
  });

  it('checks segments in the background and reports damage in a file', async () => {
    const { dir, positions } = await sealedLog();
    flipBit(segmentFile(dir), positions[1]! + 100);
    const log = await openLog(dir, { ...segmented, scrub: { pauseMs: 10, bytesPerSecond: 1e9 } });
    const scrub = await waitUntil(
      () => Promise.resolve(readScrub(dir)),
      (read) => read?.unchecked === 0,
    );
    const damages = scrub!.segments.flatMap((segment) => segment.damages);
    expect(damages).to.have.length(1);
    expect(damages[0]).to.include({ file: segmentFile(dir), position: positions[1] });
    expect(log.notes).to.deep.equal(['the event log is damaged']);
    await log.store.close();
    await repairLog(dir, now);
    const repaired = await openLog(dir, { ...segmented, scrub: { pauseMs: 10, bytesPerSecond: 1e9 } });
    await waitUntil(
      () => Promise.resolve(readScrub(dir)),
      (read) => read?.segments.every((segment) => segment.damages.length === 0) ?? false,
    );
    await repaired.store.close();
  });

  it('reports a segment whose background check fails, checks the others, and checks it again soon', async () => {
    const { dir } = await sealedLog();
    const log = await openLog(dir, { ...segmented, scrub: { pauseMs: 200, bytesPerSecond: 1e9 } });
    renameSync(segmentFile(dir), `${segmentFile(dir)}.lost`);
    const waitForDamage = (isDamaged: boolean) =>
      waitUntil(
        () => Promise.resolve(readScrub(dir)),
        (read) => read?.unchecked === 0 && read.segments.some(({ damages }) => damages.length > 0) === isDamaged,
      );
    const damages = (await waitForDamage(true))!.segments.flatMap((segment) => segment.damages);
    expect(damages).to.have.length(1);
    expect(damages[0]!.file).to.equal(segmentFile(dir));
    expect(damages[0]!.what).to.contain('it cannot be checked: ENOENT');
    renameSync(`${segmentFile(dir)}.lost`, segmentFile(dir));
    await waitForDamage(false);
    await log.store.close();
  });
});

const openAndRead = async (dir: string): Promise<number[]> => {
  const log = await openLog(dir, segmented);
  const revisions = await revisionsIn(log, 's');
  await log.store.close();
  return revisions;
};
