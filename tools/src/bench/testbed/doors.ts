import type { AddressInfo } from 'node:net';
import { PopEvent } from '@popsvc/contracts/commands';
import { createApiKeyVerifier, createAuthenticator, startRevocationWatch } from '@popsvc/platform/auth';
import { createBuiltInTokenProvider, createClient } from '@popsvc/platform/auth/tokens';
import { parseBody, createServer, jsonResponse, type Route } from '@popsvc/platform/http';
import { openPostgres } from '@popsvc/platform/postgres';
import { createMetrics } from '@popsvc/platform/telemetry';
import { z } from 'zod';
import { network } from '../traffic/registry.ts';
import { quiet } from './records.ts';
import { handleRequests } from '../harness/child-process.ts';

const Body = z.strictObject({ events: z.array(PopEvent).min(1).max(1_000) });

/** The same door three times: open, with an API key, and with an access token. Behind it a body is read and checked. */
const door = (path: string, access: Route['access']): Route => ({
  method: 'post',
  path,
  summary: path,
  access,
  body: 'json',
  handle: ({ body }) => jsonResponse(202, { message: 'Accepted.', eventCount: parseBody(Body, body).events.length }),
});

export interface Doors {
  readonly port: number;
  readonly accessToken: string;
}

handleRequests(async (databaseUrl: string): Promise<Doors> => {
  const postgres = openPostgres({ url: databaseUrl, log: quiet, name: 'bench' });
  const watch = await startRevocationWatch(postgres, { log: quiet });
  const tokens = createBuiltInTokenProvider(postgres, watch);
  const server = createServer({
    routes: [door('/open', 'public'), door('/keyed', 'ingest'), door('/tokened', 'reporting')],
    authenticate: createAuthenticator({ apiKeys: createApiKeyVerifier(postgres, watch), tokens }),
    log: quiet,
    checks: {},
    metrics: createMetrics('bench'),
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { client } = await createClient(postgres, { networkIds: [network], name: 'bench' });
  const { accessToken } = await tokens.issue(client);
  return { port: (server.node.address() as AddressInfo).port, accessToken };
});
