export { findPostgresBinaries, type PostgresBinaries } from './binaries.ts';
export { stopOrphanedServer } from './orphaned-server.ts';
export { startPostgres, type PostgresServer, type PostgresServerSettings } from './server.ts';
