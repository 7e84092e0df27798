import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { runTo, tablesOf } from './parking/parked.fixture.ts';

describe('the dictionaries of names', () => {
  let service: TestSystem;
  let reloads = 0;
  let writer: ClickHouseWriter;
  before(async () => {
    service = await startTestSystem();
    writer = {
      ...service.writer,
      run(query, options) {
        if (query.startsWith('SYSTEM RELOAD')) reloads += 1;
        return service.writer.run(query, options);
      },
    };
    await service.register(smallRegistry);
    await runTo(service, 'registry');
    // From here on the second generation is live.
    await tablesOf(service, 'registry', 2);
    await runTo(service, 'registry', { generation: 2 });
  });
  after(() => service.close());

  it('are reloaded after batches of the live generation, and not after those of other generations', async () => {
    await service.register({ sites: [{ ...smallRegistry.sites[0], name: 'Pier' }] });
    await runTo(service, 'registry', { writer });
    expect(reloads).to.equal(0);
    await runTo(service, 'registry', { generation: 2, writer });
    expect(reloads).to.be.greaterThan(0);
    const [row] = await service.writer.rows<{ name: string }>(
      `SELECT dictGet('dict_sites', 'name', toUInt64(2)) AS name`,
    );
    expect(row).to.deep.equal({ name: 'Pier' });
  });
});
