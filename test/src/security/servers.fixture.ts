import {
  createApiKeyVerifier,
  createApiKey,
  createAuthenticator,
  startRevocationWatch,
  createOperatorSessions,
} from '@popsvc/http-kit/auth';
import { createBuiltInTokenProvider, createClient } from '@popsvc/http-kit/auth/tokens';
import { Secret } from '@popsvc/platform/config';
import { createServer, type Route } from '@popsvc/http-kit/server';
import { openPostgres } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { freshRecordsUrl } from '../command-api/command-api.fixture.ts';
import { describedServers } from '@popsvc/tools/reference-pages';
import { secretSealer } from '../support/test-sealer.ts';

export interface ServedRoute {
  readonly server: string;
  readonly url: string;
  readonly route: Route;
}

export type Credential = 'an API key' | 'an access token' | 'the operator token' | 'a session';

/** Every route of every server with real authentication. The handlers have no dependencies, so a request that reaches one fails. */
export interface TestServers {
  readonly routes: readonly ServedRoute[];
  readonly headers: Readonly<Record<Credential, Readonly<Record<string, string>>>>;
  /** Log lines of requests that reached a handler. */
  readonly logged: readonly string[];
  close(): Promise<void>;
}

const operatorToken = 'operator-token-of-tests';
const limits = { connections: 64 };

export const openTestServers = async (): Promise<TestServers> => {
  const logged: string[] = [];
  const log = createLog('test', 'warn', { write: (line: string) => void logged.push(line) });
  const postgres = openPostgres({ url: await freshRecordsUrl(), log, name: 'test' });
  const watch = await startRevocationWatch(postgres, { log });
  const tokens = createBuiltInTokenProvider(postgres, secretSealer, watch);
  const sessions = createOperatorSessions(new Secret(operatorToken));
  const authenticate = createAuthenticator({
    apiKeys: createApiKeyVerifier(postgres, watch),
    tokens,
    operatorToken: new Secret(operatorToken),
    sessions,
  });
  const { apiKey } = await createApiKey(postgres, { vendor: 'acme', networkId: 1 });
  const { client } = await createClient(postgres, { networkIds: [1] });
  const { accessToken } = await tokens.issue({ ...client, revokedAt: null });
  const started = describedServers.map(({ name, description, own }) => {
    const metrics = createMetrics(name);
    return {
      name,
      own,
      server: createServer({ routes: own, description, authenticate, log, checks: {}, metrics, limits }),
    };
  });
  const routes = await Promise.all(
    started.map(async ({ name, own, server }) => {
      const url = `http://127.0.0.1:${await server.listen({ port: 0, host: '127.0.0.1' })}`;
      return own.map((route): ServedRoute => ({ server: name, url, route }));
    }),
  );
  return {
    routes: routes.flat(),
    headers: {
      'an API key': { 'x-api-key': apiKey },
      'an access token': { authorization: `Bearer ${accessToken}` },
      'the operator token': { authorization: `Bearer ${operatorToken}` },
      'a session': { cookie: `popsvc_session=${sessions.open(operatorToken)!.value}`, 'sec-fetch-site': 'same-origin' },
    },
    logged,
    async close() {
      await Promise.all(started.map(({ server }) => server.close()));
      watch.stop();
      await postgres.end();
    },
  };
};
