import { expect } from 'chai';
import { at, coffeeHouse } from './coffee.fixture.ts';

describe('coffee of plays alone', () => {
  const coffee = coffeeHouse();

  /** The temporary tables a batch filled by asking; the others were made empty. */
  const asked = async (): Promise<string[]> => {
    const { writer } = coffee.house;
    const filled: string[] = [];
    const watched: typeof writer = {
      ...writer,
      run(query, options) {
        const [, name] = /CREATE TEMPORARY TABLE (\w+) AS/.exec(query) ?? [];
        if (name) filled.push(name);
        return writer.run(query, options);
      },
    };
    await coffee.house.projectOne('coffee', { writer: watched });
    return filled;
  };

  it('asks who was there of none but who may have been', async () => {
    await coffee.spots();
    await coffee.person();
    // The first of its kind in this process, and somebody is there.
    expect(await asked()).to.include.members(['touched', 'affected', 'resolved', 'candidates', 'seen', 'windows']);
    await coffee.house.play({ eventId: 'E', playedAt: at(3_600) });
    await asked();
    await coffee.house.play({ eventId: 'F', playedAt: at(7_200) });
    expect(await asked()).to.deep.equal(['affected', 'resolved', 'candidates', 'windows', 'online']);
    await coffee.house.play({ eventId: 'G', playedAt: at(8), durationMs: 10_000 });
    expect(await asked()).to.deep.equal(['affected', 'resolved', 'candidates', 'seen', 'windows']);
    const rows = await coffee.rows();
    expect(rows.map((row) => [row['EVENT_ID'], row['POP_TYPE'], row['WATCH_TIME']])).to.have.deep.members([
      ['A', 'VIEWER', 1.2],
      ['B', 'VIEWER', 9],
      ['C', 'VIEWER', 0.3],
      ['D', 'VIEWER', 0],
      ['E', 'UNMEASURED', null],
      ['F', 'UNMEASURED', null],
      ['G', 'VIEWER', 9.2],
    ]);
  });
});
