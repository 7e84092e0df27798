export { findPostgresBinaries, type PostgresBinaries } from './binaries.ts';
export { stopOrphanedServer } from './orphaned-server.ts';
export { type PostgresServer, startPostgres } from './server.ts';
