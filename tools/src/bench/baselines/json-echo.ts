import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveRequests } from '../harness/worker.ts';

/** Baseline F0, a minimal Node.js server: parses the request body and responds with the number of events. */
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { events } = JSON.parse(Buffer.concat(chunks).toString()) as { events: unknown[] };
    const content = JSON.stringify({ message: 'Accepted.', acceptedAt: new Date(), eventCount: events.length });
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) });
    response.end(content);
  });
});

serveRequests(
  () =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    }),
);
