/** The engines for tests: started when first asked for, stopped and removed with the run. */
export { clickhouse, type Credentials, type TestClickHouse } from './clickhouse-engine.ts';
export { eventStore, type TestEventStore } from './event-store-engine.ts';
export { postgres, type Prepare, type TestPostgres } from './postgres-engine.ts';
export { room } from './room.ts';
