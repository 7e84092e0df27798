import { Detection, PopEvent } from '@popsvc/contracts/commands';
import express, { type Express, type RequestHandler } from 'express';
import type { Pool } from 'pg';
import { z } from 'zod';
import { insertDetections } from './insert-detections.ts';
import { insertPlays } from './insert-plays.ts';
import { csv, page, totalOf } from './reports.ts';
import { requireSender, type Sender } from './sender.ts';

const Plays = z.strictObject({ events: z.array(PopEvent).min(1).max(1_000) });
const Detections = z.strictObject({ detections: z.array(Detection).min(1).max(1_000) });
const Instant = z.iso.datetime({ offset: true });
const Asked = z.strictObject({
  from: Instant,
  to: Instant,
  limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
  after: z.string().optional(),
});

/** Checks the body, stores it, and says how much it was. */
const intake =
  <Body>(schema: z.ZodType<Body>, store: (sender: Sender, body: Body) => Promise<number>): RequestHandler =>
  async (request, response) => {
    const { success, data, error } = schema.safeParse(request.body);
    if (!success) return void response.status(400).json({ status: false, message: z.prettifyError(error) });
    const eventCount = await store(response.locals['sender'] as Sender, data);
    response.status(202).json({ message: 'Accepted.', acceptedAt: new Date(), eventCount });
  };

/** The service as it would be without a log: what is told is stored where it is asked for. */
export const createCompetitorApp = (pool: Pool): Express => {
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
    const { from, to, limit, after } = Asked.parse(request.query);
    const window = { networkId: (response.locals['sender'] as Sender).networkId, from, to };
    const [total, { rows, next_after }] = await Promise.all([totalOf(pool, window), page(pool, window, limit, after)]);
    response.json({ status: true, message: 'OK', data: { total, limit, next_after, count: rows.length, rows } });
  });
  app.get('/api/v1/coffee/download', async (request, response) => {
    const { from, to } = Asked.parse(request.query);
    response.type('text/csv');
    await csv(pool, { networkId: (response.locals['sender'] as Sender).networkId, from, to }, response);
    response.end();
  });
  return app;
};
