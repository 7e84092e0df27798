import type { AddressInfo } from 'node:net';
import { PopEvent } from '@popsvc/contracts/commands';
import { apiKeyVerifier, createAuthenticator, createRevocationWatch } from '@popsvc/platform/auth';
import { builtInTokens, createClient } from '@popsvc/platform/auth/tokens';
import { checkedBody, createServer, json, type Route } from '@popsvc/platform/http';
import { openPostgres } from '@popsvc/platform/postgres';
import { createMetrics } from '@popsvc/platform/runtime';
import { z } from 'zod';
import { network } from '../traffic/registry.ts';
import { quiet } from './records.ts';
import { answer } from './worker.ts';

const Body = z.strictObject({ events: z.array(PopEvent).min(1).max(1_000) });

/** The same door three times: open, with an API key, and with an access token. Behind it a body is read and checked. */
const door = (path: string, access: Route['access']): Route => ({
  method: 'post',
  path,
  summary: path,
  access,
  body: 'json',
  handle: ({ body }) => json(202, { message: 'Accepted.', eventCount: checkedBody(Body, body).events.length }),
});

export interface Doors {
  readonly port: number;
  readonly accessToken: string;
}

answer(async (databaseUrl: string): Promise<Doors> => {
  const postgres = openPostgres({ url: databaseUrl, log: quiet, name: 'bench' });
  const watch = await createRevocationWatch(postgres, { log: quiet });
  const tokens = builtInTokens(postgres, watch);
  const server = createServer({
    routes: [door('/open', 'public'), door('/keyed', 'ingest'), door('/tokened', 'reporting')],
    authenticate: createAuthenticator({ apiKeys: apiKeyVerifier(postgres, watch), tokens }),
    log: quiet,
    checks: {},
    metrics: createMetrics('bench'),
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { client } = await createClient(postgres, { networkIds: [network], name: 'bench' });
  const { accessToken } = await tokens.issue(client);
  return { port: (server.node.address() as AddressInfo).port, accessToken };
});
