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
import { exceptLacking } from '@popsvc/query-api/reports';
import { expect } from 'chai';
import { sharedClickHouse } from '../support/engines.ts';
import { waitUntil } from '@popsvc/tools/rig';

const rowsOf = (name: string): Sql => sql`SELECT 1 AS one FROM ${liveViewName({ name })}`;

describe('reading what is newer than the live generation', function () {
  this.timeout(30_000);
  let [writer, reader]: [ClickHouseWriter, ClickHouseReader] = [undefined!, undefined!];
  before(async () => {
    const engine = await sharedClickHouse();
    const options = { url: `${engine.url}/${await engine.database()}`, ...engine.writer };
    [writer, reader] = [openClickHouseWriter(options), openClickHouseReader(options)];
    for (const name of ['old', 'fresh']) await writer.run(`CREATE VIEW ${name}_live AS SELECT 1 AS one`);
  });
  after(() => Promise.all([writer.close(), reader.close()]));

  /** What is lacking cannot be read while `isSilent`; everything else can. */
  const fallible = () => {
    const fault = { isSilent: false };
    const faulty: ClickHouseReader = {
      ...reader,
      rows<Row>(query: Sql) {
        if (fault.isSilent && query.texts.join().includes('incomplete_live')) throw new ApiError('UNAVAILABLE');
        return reader.rows<Row>(query);
      },
    };
    return { fault, guarded: exceptLacking(faulty) };
  };
  const refused = (reading: Promise<unknown>) =>
    reading.then(
      () => undefined,
      (error: unknown) => error as ApiError,
    );
  const point = (names: string) =>
    writer.run(`CREATE OR REPLACE VIEW incomplete_live AS SELECT arrayJoin(CAST(${names}, 'Array(String)')) AS name`);

  it('is possible where the schema is older than the word for it', async () => {
    expect(await fallible().guarded.rows(rowsOf('fresh'))).to.have.length(1);
  });

  it('is refused, also while ClickHouse does not say again what it said', async () => {
    await point(`['fresh']`);
    const { fault, guarded } = fallible();
    expect(await refused(guarded.rows(rowsOf('fresh')))).to.be.instanceOf(ApiError);
    fault.isSilent = true;
    // Past the second for which it is believed without asking.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await refused(guarded.rows(rowsOf('fresh')))).to.be.instanceOf(ApiError);
    expect(await guarded.rows(rowsOf('old'))).to.have.length(1);
    fault.isSilent = false;
    await point(`[]`);
    await waitUntil(
      () => refused(guarded.rows(rowsOf('fresh'))),
      (error) => error === undefined,
    );
  });

  it('is put off while nobody could say whether it is that', async () => {
    const { fault, guarded } = fallible();
    fault.isSilent = true;
    expect(await refused(guarded.rows(rowsOf('old')))).to.include({ code: 'UNAVAILABLE' });
    fault.isSilent = false;
    expect(await guarded.rows(rowsOf('old'))).to.have.length(1);
  });
});
