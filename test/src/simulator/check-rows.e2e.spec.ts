import { playKey, createRowChecker } from '@popsvc/tools/simulator';
import { expect } from 'chai';

const startedAt = Date.parse('2026-08-20T14:00:00.000Z');

const header = [
  'DT_START_SITE_TZ',
  'PLAYOUT',
  'DEVICE_ID',
  'POP_TYPE',
  'EVENT_ID',
  'MEDIA_PLAYER_NAME',
  'WATCHERID',
  'IS_IMPRESSION',
  'IS_WATCHED',
  'IS_GLANCE',
  'IS_VIEW',
  'IS_VIEW_THROUGH',
  'DETAILID',
];

const checked = async (...rows: string[]) => {
  return checkedWith([], ...rows.map((row) => `2026-08-20T16:00:00.000+02:00,10,11,VIEWER,${row}`));
};

/** Checks lines that are complete, or lack a DETAILID of their own; `heartbeats` are the heartbeats of the feeder of device 11, in ms. */
const checkedWith = async (heartbeats: number[], ...rows: string[]) => {
  const plays = new Set([playKey('player', 's1-1'), playKey('player', 's1-2')]);
  const { check, result } = createRowChecker({ plays, heartbeats: new Map([[11, heartbeats]]) }, 's1');
  const withDetail = (row: string, index: number) => [...row.split(','), `own-${index}`].slice(0, header.length);
  const lines = [header, ...rows.map(withDetail)];
  await check(
    (async function* () {
      await Promise.resolve();
      yield* lines;
    })(),
  );
  return result();
};

const good = ['s1-1,player,7,1,1,1,1,1', 's1-1,player,8,1,0,0,0,0', 's1-2,player,,0,0,0,0,0'];

describe('createRowChecker', () => {
  it('accepts a report with every play, in one row for each watcher', async () => {
    expect(await checked(...good)).to.deep.equal({
      rows: 3,
      seen_rows: 2,
      found: 2,
      missing: 0,
      unexpected: 0,
      repeated: 0,
      bad_flags: 0,
      none_rows: 0,
      wrongly_unmeasured: 0,
    });
  });

  it('counts missing plays, including plays of another player', async () => {
    expect(await checked(good[0]!, 's1-2,other,,0,0,0,0,0')).to.include({ found: 1, missing: 1, unexpected: 1 });
  });

  it('ignores plays of other runs and counts plays of this run that were never sent', async () => {
    expect(await checked(...good, 's2-1,player,,0,0,0,0,0')).to.include({ missing: 0, unexpected: 0 });
    expect(await checked(...good, 's1-3,player,,0,0,0,0,0')).to.include({ missing: 0, unexpected: 1 });
  });

  it('counts rows with the DETAILID of another row', async () => {
    const row = `${good[0]!},77`;
    expect(await checked(row, ...good.slice(1))).to.include({ repeated: 0 });
    expect(await checked(row, row, ...good.slice(1), row)).to.include({ found: 2, repeated: 2 });
  });

  it('counts plays that have a row without a person and a row with one', async () => {
    expect(await checked(...good, 's1-1,player,,0,0,0,0,0')).to.include({ found: 2, missing: 0, repeated: 1 });
  });

  for (const flags of ['1,1,1,0,1', '1,1,0,1,0', '1,0,1,0,0', '0,1,1,0,0'])
    it(`counts flags that do not nest: ${flags}`, async () => {
      expect((await checked(`s1-1,player,7,${flags}`)).bad_flags).to.equal(1);
    });

  it('rejects a file with other columns', async () => {
    const { check } = createRowChecker({ plays: new Set(), heartbeats: new Map() }, 's1');
    const lines = (async function* () {
      await Promise.resolve();
      yield ['EVENT_ID'];
    })();
    expect(await check(lines).catch((error: unknown) => String(error))).to.include('no column MEDIA_PLAYER_NAME');
  });

  const lonely = (type: string) => `2026-08-20T16:00:00.000+02:00,10,11,${type},s1-1,player,,0,0,0,0,0`;

  for (const [beat, wrongly_unmeasured] of [
    [startedAt - 300_001, 0],
    [startedAt - 300_000, 1],
    [startedAt + 9_999, 1],
    [startedAt + 10_000, 0],
  ] as const)
    it(`sees that a play was unmeasured although its feeder beat ${beat - startedAt} ms after its start: ${wrongly_unmeasured}`, async () => {
      expect(await checkedWith([beat], lonely('UNMEASURED'))).to.include({ wrongly_unmeasured, none_rows: 0 });
      expect(await checkedWith([beat], lonely('NONE'))).to.include({ wrongly_unmeasured: 0, none_rows: 1 });
    });
});
