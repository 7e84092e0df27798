import type { AddressInfo } from 'node:net';
import { answer } from '../rig/worker.ts';
import { createApp } from './create-app.ts';
import { openPeer } from './open-peer.ts';

/** The peer as a process of its own; it is told the address of its database and answers its port. */
answer(
  (databaseUrl: string) =>
    new Promise<number>((resolve) => {
      const server = createApp(openPeer(databaseUrl)).listen(0, '127.0.0.1', () =>
        resolve((server.address() as AddressInfo).port),
      );
      server.keepAliveTimeout = 60_000;
    }),
);
