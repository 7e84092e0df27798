/** The engines for tests: started when first asked for, stopped and removed with the run. */
export { queryClickHouse, type ClickHouseResponse, type Credentials } from './query-clickhouse.ts';
export {
  sharedClickHouse,
  clickHouseWithAnalysts,
  type KillableClickHouse,
  killableClickHouse,
  type TestClickHouse,
} from './clickhouse-engine.ts';
export { startTestEventStore, startInProcessEventStore, type TestEventStore } from './event-store-engine.ts';
export { hasNats, startTestNats, natsProgram, type TestNats } from './nats-engine.ts';
export { sharedPostgres, type Prepare, type TestPostgres } from './postgres-engine.ts';
export { temporaryFolder } from '@popsvc/tools/rig';
