export { findPostgresBinaries, type PostgresBinaries } from './binaries.ts';
export { stopOrphanedServer } from './leftover.ts';
export { startPostgres, type PostgresServer, type PostgresServerSettings } from './start-postgres.ts';
