import { coffee } from '@popsvc/read-models/tables';
import { Sql } from '@popsvc/platform/clickhouse';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { countLineEnds } from '@popsvc/tools/rig';

const rows = 300_000;

describe('a running download', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
  });
  after(() => system.close());

  it('completes after readers are switched and its tables are dropped', async () => {
    const { writer, reader } = system;
    await writer.run(
      `INSERT INTO ${coffee.name}_g1 (network_id, ts, number, event_id, version)
       SELECT 1, fromUnixTimestamp64Milli(toInt64(1786000000000 + number), 'UTC'), number, concat('a play whose id is long, ', toString(number)), 1
       FROM numbers(${rows})`,
    );
    const download = await reader.stream(
      new Sql([`SELECT number, event_id FROM ${coffee.name}_live`], []),
      'JSONEachRow',
    );
    let [lines, chunks] = [0, 0];
    for await (const chunk of download) {
      chunks += 1;
      if (chunks === 1) {
        await ensureSchema(
          writer,
          allProjections.map((projection) => ({ projection, generation: projection.name === 'coffee' ? 2 : 1 })),
        );
        await writer.run(`DROP TABLE ${coffee.name}_g1`);
      }
      lines += countLineEnds(chunk as Buffer);
    }
    expect(chunks).to.be.greaterThan(10);
    expect(lines).to.equal(rows);
    expect(await reader.rows(new Sql([`SELECT count() AS rows FROM ${coffee.name}_live`], []))).to.deep.equal([
      { rows: 0 },
    ]);
  });
});
