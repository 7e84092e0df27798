import { testSharedPartitions } from '../faults/shared-partitions.suite.ts';
import { openStage } from '../faults/stage.fixture.ts';
import { killServer, openNamedCluster, startServer } from './named-cluster.fixture.ts';

describe('two processes of projectors that share partitions on a replicated ClickHouse', function () {
  this.timeout(900_000);
  const cluster = openNamedCluster();
  const { env } = cluster;
  const clickhouse = {
    clickhouse: { url: env.CLICKHOUSE_URL, kill9: () => killServer('1'), start: () => startServer('1') },
    writer: { username: env.CLICKHOUSE_USER, password: env.CLICKHOUSE_PASSWORD },
  };
  testSharedPartitions({
    isLong: true,
    openStage: () => openStage({ clickhouse }, env.CLICKHOUSE_CLUSTER),
    env: { CLICKHOUSE_CLUSTER: env.CLICKHOUSE_CLUSTER },
  });
  after(() => cluster.drop());
});
