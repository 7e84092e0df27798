export { findBinaries, type Binaries } from './binaries.ts';
export { stopLeftover } from './leftover.ts';
export { startPostgres, type Postgres, type PostgresSettings } from './start-postgres.ts';
