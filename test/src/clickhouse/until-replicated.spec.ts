import { openClickHouseWriter, untilReplicated } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { rowsOf, startScriptedReplica } from './scripted-replica.fixture.ts';

describe('a new table of a cluster', () => {
  it('is written when a majority of the replicas, and at least two, have it', async () => {
    const states = [
      { found: 1, expected: 1 },
      { found: 1, expected: 3 },
      { found: 2, expected: 4 },
      { found: 3, expected: 4 },
    ];
    let queries = 0;
    const replica = await startScriptedReplica(() => rowsOf(states[queries++]!));
    const login = { url: `${replica.url}/popsvc`, username: 'any', password: '' };
    const [single, clustered] = [openClickHouseWriter(login), openClickHouseWriter({ ...login, cluster: 'main' })];
    await untilReplicated(single, 'time_zones_g1');
    expect(queries).to.equal(0);
    await untilReplicated(clustered, 'time_zones_g1');
    expect(queries).to.equal(states.length);
    await Promise.all([single.close(), clustered.close(), replica.stop()]);
  });
});
