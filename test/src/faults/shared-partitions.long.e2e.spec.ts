import { openStage } from './stage.fixture.ts';
import { testSharedPartitions } from './shared-partitions.suite.ts';

describe('two processes of projectors that share partitions', function () {
  this.timeout(400_000);
  testSharedPartitions({ isLong: process.env['POPSVC_LONG'] === '1', openStage });
});
