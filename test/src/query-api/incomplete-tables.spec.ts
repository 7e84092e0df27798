import { ApiError } from '@popsvc/contracts/errors';
import {
  liveViewName,
  openClickHouseReader,
  openClickHouseWriter,
  type ClickHouseReader,
  type Sql,
  sql,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import { rejectIncompleteTables } from '@popsvc/query-api/generations';
import { expect } from 'chai';
import { sharedClickHouse } from '../support/engines.ts';
import { waitUntil } from '@popsvc/tools/rig';

const rowsOf = (name: string): Sql => sql`SELECT 1 AS one FROM ${liveViewName({ name })}`;

describe('a reader that rejects incomplete tables', function () {
  this.timeout(30_000);
  let [writer, reader]: [ClickHouseWriter, ClickHouseReader] = [undefined!, undefined!];
  before(async () => {
    const engine = await sharedClickHouse();
    const options = { url: `${engine.url}/${await engine.database()}`, ...engine.writer };
    [writer, reader] = [openClickHouseWriter(options), openClickHouseReader(options)];
    for (const name of ['old', 'fresh']) await writer.run(`CREATE VIEW ${name}_live AS SELECT 1 AS one`);
  });
  after(() => Promise.all([writer.close(), reader.close()]));

  /** The list of incomplete tables cannot be read while `fault.isActive`; everything else can. */
  const createFaultyReader = () => {
    const fault = { isActive: false };
    const faulty: ClickHouseReader = {
      ...reader,
      rows<Row>(query: Sql) {
        if (fault.isActive && query.texts.join().includes('incomplete_live')) throw new ApiError('UNAVAILABLE');
        return reader.rows<Row>(query);
      },
    };
    return { fault, guarded: rejectIncompleteTables(faulty) };
  };
  const errorOf = (result: Promise<unknown>) =>
    result.then(
      () => undefined,
      (error: unknown) => error as ApiError,
    );
  const setIncomplete = (names: string) =>
    writer.run(`CREATE OR REPLACE VIEW incomplete_live AS SELECT arrayJoin(CAST(${names}, 'Array(String)')) AS name`);

  it('allows every table if the schema of an older release has no list', async () => {
    expect(await createFaultyReader().guarded.rows(rowsOf('fresh'))).to.have.length(1);
  });

  it('rejects incomplete tables, also while ClickHouse does not return the list again', async () => {
    await setIncomplete(`['fresh']`);
    const { fault, guarded } = createFaultyReader();
    expect(await errorOf(guarded.rows(rowsOf('fresh')))).to.be.instanceOf(ApiError);
    fault.isActive = true;
    // Longer than the list is cached.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await errorOf(guarded.rows(rowsOf('fresh')))).to.be.instanceOf(ApiError);
    expect(await guarded.rows(rowsOf('old'))).to.have.length(1);
    fault.isActive = false;
    await setIncomplete(`[]`);
    await waitUntil(
      () => errorOf(guarded.rows(rowsOf('fresh'))),
      (error) => error === undefined,
    );
  });

  it('rejects every query while no list was ever read', async () => {
    const { fault, guarded } = createFaultyReader();
    fault.isActive = true;
    expect(await errorOf(guarded.rows(rowsOf('old')))).to.include({ code: 'UNAVAILABLE' });
    fault.isActive = false;
    expect(await guarded.rows(rowsOf('old'))).to.have.length(1);
  });
});
