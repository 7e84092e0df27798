import { startPostgres } from '@popsvc/embedded/postgres';
import { Client } from 'pg';

/** A service for tests that kill it: starts PostgreSQL in the given folder with one row and prints the server's process id. */
const server = await startPostgres({ dataDir: process.argv[2] ?? '', port: 0, password: 'x' });
const client = new Client({ connectionString: server.url });
await client.connect();
await client.query('CREATE TABLE IF NOT EXISTS kept AS SELECT 7 AS number');
await client.end();
process.stdout.write(`${server.pid() ?? ''}\n`);
