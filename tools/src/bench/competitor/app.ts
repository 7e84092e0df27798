import express from 'express';
import { createHash } from 'node:crypto';
import { Detection, PopEvent } from '@popsvc/contracts/commands';
import type { Express, RequestHandler } from 'express';
import type { Pool } from 'pg';
import { z } from 'zod';
import { insertDetections, insertPlays, type Sender } from './inserts.ts';
import { writeCsv, readPage, countRows } from './reports.ts';

const cacheMs = 5_000;

export const hashOf = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex');

/** Authenticates a request by the hash of its API key. Keys are cached for 5 s, so a revocation takes effect within that time. */
const requireSender = (pool: Pool): RequestHandler => {
  const cache = new Map<string, { readonly sender: Sender; readonly untilMs: number }>();
  return async (request, response, next) => {
    const hash = hashOf(request.get('x-api-key') ?? '');
    let known = cache.get(hash);
    if (known === undefined || known.untilMs < Date.now()) {
      const { rows } = await pool.query<{ network_id: number; vendor: string }>({
        name: 'api-key',
        text: 'SELECT network_id, vendor FROM api_keys WHERE hash = $1',
        values: [hash],
      });
      const [row] = rows;
      if (row === undefined) return void response.status(401).json({ status: false, message: 'unknown API key' });
      known = { sender: { networkId: row.network_id, vendor: row.vendor }, untilMs: Date.now() + cacheMs };
      cache.set(hash, known);
    }
    response.locals['sender'] = known.sender;
    next();
  };
};

const Plays = z.strictObject({ events: z.array(PopEvent).min(1).max(1_000) });
const Detections = z.strictObject({ detections: z.array(Detection).min(1).max(1_000) });
const Instant = z.iso.datetime({ offset: true });
const ReportQuery = z.strictObject({
  from: Instant,
  to: Instant,
  limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
  after: z.string().optional(),
});

/** Creates a handler that validates the body, stores it and responds with the number of events. */
const intake =
  <Body>(schema: z.ZodType<Body>, store: (sender: Sender, body: Body) => Promise<number>): RequestHandler =>
  async (request, response) => {
    const { success, data, error } = schema.safeParse(request.body);
    if (!success) return void response.status(400).json({ status: false, message: z.prettifyError(error) });
    const eventCount = await store(response.locals['sender'] as Sender, data);
    response.status(202).json({ message: 'Accepted.', acceptedAt: new Date(), eventCount });
  };

/**
 * Creates the competitor: a service without an event log, which writes the events of a request directly to the tables that reports read.
 */
export const createApp = (pool: Pool): Express => {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(requireSender(pool), express.json({ limit: '5mb' }));
  app.post(
    '/popsvc/v1/pop/events',
    intake(Plays, async (sender, { events }) => {
      await insertPlays(pool, sender, events);
      return events.length;
    }),
  );
  app.post(
    '/popsvc/v1/detections',
    intake(Detections, async (sender, { detections }) => {
      await insertDetections(pool, sender, detections);
      return detections.length;
    }),
  );
  app.get('/api/v1/coffee', async (request, response) => {
    const { from, to, limit, after } = ReportQuery.parse(request.query);
    const window = { networkId: (response.locals['sender'] as Sender).networkId, from, to };
    const [total, { rows, next_after }] = await Promise.all([
      countRows(pool, window),
      readPage(pool, window, limit, after),
    ]);
    response.json({ status: true, message: 'OK', data: { total, limit, next_after, count: rows.length, rows } });
  });
  app.get('/api/v1/coffee/download', async (request, response) => {
    const { from, to } = ReportQuery.parse(request.query);
    response.type('text/csv');
    await writeCsv(pool, { networkId: (response.locals['sender'] as Sender).networkId, from, to }, response);
    response.end();
  });
  return app;
};
