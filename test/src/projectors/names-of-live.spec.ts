import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { projecting, type Projecting } from '../support/projecting.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { runTo, tablesOf } from './parked.fixture.ts';

describe('names that reports look up', () => {
  let house: Projecting;
  let reloads = 0;
  let writer: ClickHouseWriter;
  before(async () => {
    house = await projecting();
    writer = {
      ...house.writer,
      run(query, options) {
        if (query.startsWith('SYSTEM RELOAD')) reloads += 1;
        return house.writer.run(query, options);
      },
    };
    await house.register(smallRegistry);
    await runTo(house, 'registry');
    // From here on readers see the second one.
    await tablesOf(house, 'registry', 2);
    await runTo(house, 'registry', { generation: 2 });
  });
  after(() => house.close());

  it('are read anew after what readers see, and not after what is kept or built beside it', async () => {
    await house.register({ sites: [{ ...smallRegistry.sites[0], name: 'Pier' }] });
    await runTo(house, 'registry', { writer });
    expect(reloads).to.equal(0);
    await runTo(house, 'registry', { generation: 2, writer });
    expect(reloads).to.be.greaterThan(0);
    const [row] = await house.writer.rows<{ name: string }>(
      `SELECT dictGet('dict_sites', 'name', toUInt64(2)) AS name`,
    );
    expect(row).to.deep.equal({ name: 'Pier' });
  });
});
