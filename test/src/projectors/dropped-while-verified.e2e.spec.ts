import { type ClickHouseWriter, hasServerErrorType } from '@popsvc/platform/clickhouse';
import { createLog } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { openGenerations } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';

const log = createLog('test', 'silent');

describe('a table that is dropped while the tables are verified', function () {
  let system: TestServices;
  before(async () => {
    system = await startTestServices();
    await openGenerations({ ...system, log }, allProjections);
    await system.register(smallRegistry);
    await system.play({ eventId: 'one' });
    await system.project();
  });
  after(() => system.close());

  /** A writer that runs a statement once, after the verification and before the first table is created. */
  const droppingWriter = (statement: string): ClickHouseWriter => {
    const { writer } = system;
    let isDropped = false;
    return {
      ...writer,
      async run(query, options) {
        if (!isDropped && query.startsWith('CREATE OR REPLACE VIEW incomplete_live')) {
          isDropped = true;
          await writer.run(statement);
        }
        await writer.run(query, options);
      },
    };
  };
  const openAndFail = async (statement: string) => {
    const dropping = { postgres: system.postgres, writer: droppingWriter(statement), log };
    const failure: unknown = await openGenerations(dropping, allProjections).catch((error: unknown) => error);
    expect(hasServerErrorType(failure, ['UNKNOWN_TABLE', 'UNKNOWN_DATABASE']), String(failure)).to.equal(true);
  };
  const openAgain = async () => {
    const opened = await openGenerations({ ...system, log }, allProjections);
    const [coffee] = opened.filter(({ projection }) => projection.name === 'coffee');
    return coffee!.damage!.map(({ table, problem }) => `${table}: ${problem}`);
  };

  it('is not created empty, and is damage for the next verification', async () => {
    await openAndFail('DROP TABLE coffee_g1 SYNC');
    expect(await openAgain()).to.deep.equal(['coffee: the table is missing']);
  });

  it('is damage for the next verification, if the whole database is dropped', async () => {
    await system.postgres.query(`UPDATE generations SET damage = '[]'`);
    await openAndFail(`DROP DATABASE ${system.writer.database} SYNC`);
    expect(await openAgain()).to.include('coffee: the table is missing');
  });
});
