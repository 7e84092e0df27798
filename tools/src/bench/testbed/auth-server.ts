import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { PopEvent } from '@popsvc/contracts/commands';
import { createApiKeyVerifier, createAuthenticator, startRevocationWatch } from '@popsvc/http-kit/auth';
import { createBuiltInTokenProvider, createClient } from '@popsvc/http-kit/auth/tokens';
import { parseBody, createServer, jsonResponse, type Route } from '@popsvc/http-kit/server';
import { createSecretSealer, openPostgres } from '@popsvc/platform/postgres';
import { createMetrics } from '@popsvc/platform/telemetry';
import { z } from 'zod';
import { network } from '../traffic/network.ts';
import { silentLog } from './engines.ts';
import { serveRequests } from '../harness/worker.ts';

const Body = z.strictObject({ events: z.array(PopEvent).min(1).max(1_000) });

/** Creates a route that requires the given kind of access and validates the request body. */
const route = (path: string, access: Route['access']): Route => ({
  method: 'post',
  path,
  summary: path,
  access,
  body: 'json',
  handle: ({ body }) => jsonResponse(202, { message: 'Accepted.', eventCount: parseBody(Body, body).events.length }),
});

export interface AuthServer {
  readonly port: number;
  readonly accessToken: string;
}

serveRequests(async (databaseUrl: string): Promise<AuthServer> => {
  const postgres = openPostgres({ url: databaseUrl, log: silentLog, name: 'bench' });
  const watch = await startRevocationWatch(postgres, { log: silentLog });
  const tokens = createBuiltInTokenProvider(postgres, createSecretSealer(randomUUID()), watch);
  const server = createServer({
    routes: [route('/open', 'public'), route('/keyed', 'ingest'), route('/tokened', 'reporting')],
    authenticate: createAuthenticator({ apiKeys: createApiKeyVerifier(postgres, watch), tokens }),
    log: silentLog,
    checks: {},
    metrics: createMetrics('bench'),
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { client } = await createClient(postgres, { networkIds: [network], name: 'bench' });
  const { accessToken } = await tokens.issue(client);
  return { port: (server.node.address() as AddressInfo).port, accessToken };
});
