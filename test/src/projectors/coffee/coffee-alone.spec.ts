import { expect } from 'chai';
import { at, coffeeSystem } from './coffee.fixture.ts';

describe('coffee of batches that hold plays only', () => {
  const coffee = coffeeSystem();

  /** Temporary tables that a batch fills by a query (the others stay empty), and those whose columns it must ask ClickHouse for. */
  const projectAndRecord = async (): Promise<{ filled: string[]; described: string[] }> => {
    const { writer } = coffee.system;
    const [filled, described]: [string[], string[]] = [[], []];
    const watched: typeof writer = {
      ...writer,
      run(query, options) {
        const [, made, name = made] =
          /CREATE TEMPORARY TABLE (\w+) AS|INSERT INTO (\w+)\s+(?:SELECT|WITH)/.exec(query) ?? [];
        if (made) described.push(made);
        if (name) filled.push(name);
        return writer.run(query, options);
      },
    };
    await coffee.system.projectOne('coffee', { writer: watched });
    return { filled, described };
  };

  it('runs the audience statements only for plays that a detection may overlap', async () => {
    await coffee.spots();
    await coffee.person();
    // A batch with a detection. Another spec of this process may have run its statements before.
    const first = [
      'touched_screens',
      'affected_plays',
      'placed_plays',
      'busy_spans',
      'candidate_detections',
      'audience',
      'feeder_windows',
    ];
    expect((await projectAndRecord()).filled).to.include.members(first);
    await coffee.system.play({ eventId: 'E', playedAt: at(3_600) });
    // A batch of plays only has other statements for the affected plays.
    expect((await projectAndRecord()).described).to.not.include('placed_plays');
    await coffee.system.play({ eventId: 'F', playedAt: at(7_200) });
    expect(await projectAndRecord()).to.deep.equal({
      filled: ['affected_plays', 'placed_plays', 'busy_spans', 'feeder_windows', 'online_plays', 'stored_rows'],
      described: [],
    });
    await coffee.system.play({ eventId: 'G', playedAt: at(8), durationMs: 10_000 });
    expect(await projectAndRecord()).to.deep.equal({
      filled: [
        'affected_plays',
        'placed_plays',
        'busy_spans',
        'candidate_detections',
        'audience',
        'feeder_windows',
        'stored_rows',
      ],
      described: [],
    });
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
