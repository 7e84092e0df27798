import type { AddressInfo } from 'node:net';
import { handleRequests } from '../harness/child-process.ts';
import { createCompetitorApp } from './create-app.ts';
import { openCompetitorPool } from './open-peer.ts';

/** The peer as a process of its own; it is told the address of its database and answers its port. */
handleRequests(
  (databaseUrl: string) =>
    new Promise<number>((resolve) => {
      const server = createCompetitorApp(openCompetitorPool(databaseUrl)).listen(0, '127.0.0.1', () =>
        resolve((server.address() as AddressInfo).port),
      );
      server.keepAliveTimeout = 60_000;
    }),
);
