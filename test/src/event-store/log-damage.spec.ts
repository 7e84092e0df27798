import { copyFileSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
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

/** Opens the log and returns the message with which it is refused. */
const openRefusal = async (dir: string): Promise<string> => {
  const { name, message } = await refusal(openLog(dir, segmented).then(({ store }) => store.close()));
  expect(name, String(message)).to.equal('LogDamagedError');
  return String(message);
};

/** Like `openRefusal`, and checks that the refused log has the same files as before. */
const openUnchangedRefusal = async (dir: string): Promise<string> => {
  const before = readdirSync(dir);
  const message = await openRefusal(dir);
  expect(readdirSync(dir), 'no file is added or removed').to.have.members(before);
  return message;
};

describe('event store: a damaged log', () => {
  it('does not open after one flipped bit before acknowledged events, and names file, position, what follows and the command', async () => {
    const { dir, positions } = await closedLog();
    flipBit(segmentFile(dir), positions[3]! + 100);
    const message = await openUnchangedRefusal(dir);
    expect(message).to.contain(`${segmentFile(dir)}, position ${positions[3]!}`);
    expect(message).to.contain('80 whole events follow').and.to.contain(`popsvc log repair ${dir}`);
  });

  it('does not open after a flipped bit in its very last append', async () => {
    const { dir, positions } = await closedLog();
    flipBit(segmentFile(dir), positions.at(-1)! + 100);
    expect(await openUnchangedRefusal(dir)).to.contain(`position ${positions.at(-1)!}`);
  });

  it('proves damage by the markers of later groups when the durable end is lost or old', async () => {
    for (const lose of [
      (path: string) => rmSync(path),
      (path: string) => writeFileSync(path, readFileSync(path).fill(7, 10, 12)),
    ]) {
      const { dir, positions } = await closedLog();
      lose(join(dir, 'durable-end'));
      flipBit(segmentFile(dir), positions[3]! + 100);
      expect(await openUnchangedRefusal(dir)).to.contain('80 whole events follow');
    }
  });

  const lastOf = (dir: string): number => segmentBases(dir).at(-1)!;
  const harms: [string, (dir: string) => { readonly file: string; readonly what: string }][] = [
    [
      'a segment in the middle is removed',
      (dir) => {
        rmSync(segmentFile(dir, segmentBases(dir)[2]));
        return { file: segmentFile(dir, segmentBases(dir)[1]), what: 'is missing' };
      },
    ],
    [
      'the first segment is removed',
      (dir) => {
        rmSync(segmentFile(dir));
        return { file: segmentFile(dir), what: 'is missing' };
      },
    ],
    [
      'the newest segment is removed',
      (dir) => {
        const file = segmentFile(dir, lastOf(dir));
        rmSync(file);
        return { file, what: 'is missing' };
      },
    ],
    [
      'a sealed segment is cut short',
      (dir) => {
        const file = segmentFile(dir, segmentBases(dir)[1]);
        truncateSync(file, readFileSync(file).length - 1);
        return { file, what: 'the file ends at position' };
      },
    ],
    [
      'the newest segment is cut short at the end of an append',
      (dir) => {
        const file = segmentFile(dir, lastOf(dir));
        truncateSync(file, 64);
        return { file, what: 'but records were stored up to' };
      },
    ],
    [
      'two segments are exchanged',
      (dir) => {
        exchangeSegments(dir);
        return { file: segmentFile(dir, segmentBases(dir)[1]), what: 'it is the segment that begins at position' };
      },
    ],
    [
      'a segment exists twice',
      (dir) => {
        copyFileSync(segmentFile(dir), segmentFile(dir, 100));
        return { file: segmentFile(dir, 100), what: 'it is the segment that begins at position 0' };
      },
    ],
    [
      'a header is damaged',
      (dir) => {
        const file = segmentFile(dir, segmentBases(dir)[1]);
        flipBit(file, 34);
        return { file, what: 'its header is damaged' };
      },
    ],
    [
      'an entry of the manifest is changed',
      (dir) => {
        const file = join(dir, 'sealed-segments.ndjson');
        writeFileSync(file, readFileSync(file, 'utf8').replace('"events":', '"events":1'));
        return { file, what: 'line 1 is not what was written' };
      },
    ],
    [
      'an entry of the manifest is removed',
      (dir) => {
        const file = join(dir, 'sealed-segments.ndjson');
        const lines = readFileSync(file, 'utf8').split('\n');
        writeFileSync(file, lines.toSpliced(1, 1).join('\n'));
        return { file, what: 'line 2 is not what was written' };
      },
    ],
  ];
  for (const [title, harm] of harms)
    it(`does not open when ${title}`, async () => {
      const { dir } = await sealedLog();
      const { file, what } = harm(dir);
      const message = await openUnchangedRefusal(dir);
      expect(message).to.contain(what);
      if (!what.includes('missing')) expect(message).to.contain(file);
    });

  it('opens when only the durable end is lost or an older one, and keeps everything', async () => {
    const rebuilt = ['durable end rebuilt from the newest segment'];
    const losses: [(path: string, old: Buffer) => void, string[]][] = [
      [(path) => rmSync(path), rebuilt],
      [(path) => writeFileSync(path, ''), rebuilt],
      [(path, old) => writeFileSync(path, old), []],
    ];
    for (const [lose, notes] of losses) {
      const first = await closedLog();
      const path = join(first.dir, 'durable-end');
      const old = readFileSync(path);
      const log = await openLog(first.dir);
      await appendTo(log, 's', 5);
      await log.store.close();
      lose(path, old);
      const again = await openLog(first.dir);
      expect(await revisionsIn(again, 's')).to.deep.equal(numbersUpTo(105));
      expect(again.notes).to.deep.equal(notes);
      await again.store.close();
    }
  });

  it('checks sealed segments that the manifest lacks, adds them, and refuses damaged ones', async () => {
    const { dir } = await sealedLog();
    const manifest = join(dir, 'sealed-segments.ndjson');
    const whole = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, whole.slice(0, -20));
    await (await openLog(dir, segmented)).store.close();
    expect(readFileSync(manifest, 'utf8')).to.equal(whole);
    rmSync(manifest);
    const [, second] = segmentBases(dir);
    flipBit(segmentFile(dir, second), 400);
    expect(await openRefusal(dir)).to.contain(segmentFile(dir, second));
  });
});
