import { inTransaction, openPostgres } from '@popsvc/platform/postgres';
import { createLog, runInSpan } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { startTestCollector, type TestCollector } from '../support/collector.ts';
import { sharedPostgres } from '../support/engines.ts';
import { sendingTo } from '../tracing/tracing.fixture.ts';

const log = createLog('test', 'silent');

describe('traced statements', () => {
  let collector: TestCollector;
  before(async () => {
    collector = await startTestCollector();
  });
  after(() => collector.stop());

  it('have one span each, on the pool and within a transaction, with their text and without their values', async () => {
    const url = await (await sharedPostgres()).freshDatabase();
    await sendingTo(collector, async () => {
      const postgres = openPostgres({ url, log, name: 'test' });
      await runInSpan(
        () => ({ name: 'work', kind: 'internal', parent: 'new', attributes: {} }),
        async () => {
          await postgres.query('SELECT $1::text', ['hidden']);
          await postgres.query({ name: 'named', text: 'SELECT  2' });
          await inTransaction(postgres, (client) => client.query('SELECT 3'));
          await postgres.query('SELECT nothing').catch(() => undefined);
        },
      );
      await postgres.end();
    });
    const spans = collector.spans();
    const work = spans.find(({ name }) => name === 'work')!;
    const statements = spans.filter(({ name }) => name.startsWith('postgresql '));
    expect(statements.map(({ attributes, status }) => [attributes['db.query.text'], status])).to.deep.equal([
      ['SELECT $1::text', 0],
      ['SELECT 2', 0],
      ['BEGIN', 0],
      ['SELECT 3', 0],
      ['COMMIT', 0],
      ['SELECT nothing', 2],
    ]);
    expect(statements.every(({ parentSpanId }) => parentSpanId === work.spanId)).to.equal(true);
    expect(collector.received()).to.not.include('hidden');
  });
});
