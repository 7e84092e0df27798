/** The engines for tests: started when first asked for, stopped and removed with the run. */
export { askClickHouse, type Answer, type Credentials } from './ask-clickhouse.ts';
export {
  clickhouse,
  clickhouseWith,
  type MortalClickHouse,
  mortalClickHouse,
  type TestClickHouse,
} from './clickhouse-engine.ts';
export { eventStore, eventStoreHere, type TestEventStore } from './event-store-engine.ts';
export { hasNats, nats, natsProgram, type TestNats } from './nats-engine.ts';
export { testPostgres, type Prepare, type TestPostgres } from './postgres-engine.ts';
export { room } from './room.ts';
