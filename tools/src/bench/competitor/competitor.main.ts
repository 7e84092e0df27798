import type { AddressInfo } from 'node:net';
import { serveRequests } from '../harness/worker.ts';
import { createApp } from './app.ts';
import { openCompetitorPool } from './database.ts';

/** Runs the competitor in this process. Receives the database URL and replies with the port that the competitor listens on. */
serveRequests(
  (databaseUrl: string) =>
    new Promise<number>((resolve) => {
      const server = createApp(openCompetitorPool(databaseUrl)).listen(0, '127.0.0.1', () =>
        resolve((server.address() as AddressInfo).port),
      );
      server.keepAliveTimeout = 60_000;
    }),
);
