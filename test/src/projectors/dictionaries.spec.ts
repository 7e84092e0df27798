import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { allProjections } from '@popsvc/projectors/projections';
import { ensureSchema, type Generation, pointReadersAt, readReadableState } from '@popsvc/read-models/generations';
import { createDictionary, dictionaries, selectRegistryState } from '@popsvc/read-models/schema';
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

  it('are not used while a table with names is damaged, and are reloaded before they are used again', async () => {
    const generations = (damaged: readonly string[]): readonly Generation[] =>
      allProjections.map((projection) => ({
        projection,
        generation: projection.name === 'registry' ? 2 : 1,
        damage: projection.tables
          .filter(({ name }) => damaged.includes(name))
          .map(({ name: table }) => ({ table, part: 'all_1_1_0', problem: 'it is gone', found_at: '' })),
      }));
    const point = async (damaged: readonly string[], using = writer) => {
      const live = generations(damaged);
      await pointReadersAt(
        using,
        live.find(({ projection }) => projection.name === 'registry')!,
        { live },
      );
      return [...(await readReadableState(service.reader)).unreadable.keys()];
    };
    expect(await point(['registry_apps'])).to.deep.equal(['registry_apps']);
    expect(await point(['registry_sites'])).to.include.members(['coffee', 'effective_outages']);

    reloads = 0;
    let whileReloaded: readonly string[] = [];
    const watching: ClickHouseWriter = {
      ...writer,
      async run(query, options) {
        if (query.startsWith('SYSTEM RELOAD'))
          whileReloaded = [...(await readReadableState(service.reader)).unreadable.keys()];
        return writer.run(query, options);
      },
    };
    expect(await point([], watching)).to.deep.equal([]);
    expect(whileReloaded).to.include('coffee');
    expect(reloads).to.be.greaterThan(0);
  });

  // The embedded ClickHouse does not load dictionaries again on its own, so this tests the conditions for it.
  it('are loaded again within a minute by a server of a cluster that missed a reload', async () => {
    const [dictionary] = dictionaries;
    const readUpdates = async (cluster: string | undefined) => {
      await service.writer.run(createDictionary(dictionary!, { ...service.writer, cluster }));
      await service.writer.run(`SYSTEM RELOAD DICTIONARY ${dictionary!.name}`);
      const [row] = await service.writer.rows<object>(
        `SELECT toFloat64(lifetime_min) AS least, toFloat64(lifetime_max) AS most, create_table_query LIKE '%INVALIDATE_QUERY%' AS compares
         FROM system.dictionaries AS d JOIN system.tables AS t ON t.uuid = d.uuid
         WHERE t.database = currentDatabase() AND t.name = '${dictionary!.name}'`,
      );
      return row;
    };
    expect(await readUpdates('main')).to.deep.equal({ least: 30, most: 60, compares: 1 });
    expect(await readUpdates(undefined)).to.deep.equal({ least: 0, most: 0, compares: 0 });

    const readState = async () => {
      const rows = await service.writer.rows<{ state: string }>(selectRegistryState(service.writer.database));
      expect(rows).to.have.length(1);
      return rows[0]!.state;
    };
    const before = await readState();
    await service.register({ sites: [{ ...smallRegistry.sites[0], name: 'Quay' }] });
    await runTo(service, 'registry', { generation: 2 });
    const changed = await readState();
    expect(changed, 'after a change').to.not.equal(before);
    await tablesOf(service, 'registry', 1);
    expect(await readState(), 'after a switch').to.not.equal(changed);
    await tablesOf(service, 'registry', 2);
    expect(await readState(), 'without a change').to.equal(changed);
  });

  it('are created again if a damaged definition left a table in their place', async () => {
    await service.writer.run('DROP DICTIONARY dict_vendors SYNC');
    await service.writer.run('CREATE TABLE dict_vendors (a UInt8) ENGINE = MergeTree ORDER BY a');
    const live = allProjections.map((projection) => ({
      projection,
      generation: projection.name === 'registry' ? 2 : 1,
    }));
    await ensureSchema(service.writer, live);
    const [row] = await service.writer.rows<{ name: string }>(
      `SELECT dictGet('dict_vendors', 'name', tuple('acme')) AS name`,
    );
    expect(row).to.deep.equal({ name: 'Acme player' });
  });
});
