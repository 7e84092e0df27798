import type { AddressInfo } from 'node:net';
import express from 'express';
import { serveRequests } from '../harness/worker.ts';

/**
 * Baseline F1, a typical implementation: an Express server that parses the request body with Express's own JSON parser and
 * responds with the number of events.
 */
const app = express().disable('x-powered-by').disable('etag');
app.use(express.json({ limit: '5mb' }));
app.post('/{*any}', (request, response) => {
  const { events } = request.body as { events: unknown[] };
  response.status(202).json({ message: 'Accepted.', acceptedAt: new Date(), eventCount: events.length });
});

serveRequests(
  () =>
    new Promise<number>((resolve) => {
      const server = app.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
      server.keepAliveTimeout = 60_000;
    }),
);
