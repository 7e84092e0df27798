import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { basic, type TokenBody } from './token-requests.fixture.ts';

const main = fileURLToPath(new URL('identity-provider.main.js', import.meta.url));

export const theirAudience = 'https://reports.example/';

export interface IdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** For our audience, unless another resource is named. */
  token(resource?: string): Promise<string>;
  /** Signs with a new key; the others stay published. */
  rotate(): Promise<void>;
  /** Publishes the key it signs with alone. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

/** A provider in a process of its own. */
export const identityProvider = async (...networkIds: readonly number[]): Promise<IdentityProvider> => {
  const child = spawn(process.execPath, ['--enable-source-maps', main, theirAudience, networkIds.join()], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines: AsyncIterator<string, undefined> = createInterface(child.stdout)[Symbol.asyncIterator]();
  const told = async (): Promise<{ issuer: string }> => {
    for (;;) {
      const line = await lines.next();
      if (line.done === true) throw new Error('the provider ended');
      if (line.value.startsWith('{')) return JSON.parse(line.value) as { issuer: string };
    }
  };
  const { issuer } = await told();
  const found = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { token_endpoint, jwks_uri } = (await found.json()) as Readonly<Record<'token_endpoint' | 'jwks_uri', string>>;
  const asked = async (line: string) => {
    child.stdin.write(`${line}\n`);
    await told();
  };
  return {
    issuer,
    jwksUrl: jwks_uri,
    async token(resource = 'urn:popsvc:reports') {
      const form = { grant_type: 'client_credentials', scope: 'reporting', resource };
      const credentials = basic('partner', 'a secret of the partner: 100% + more');
      const answer = await fetch(token_endpoint, {
        method: 'POST',
        headers: credentials,
        body: new URLSearchParams(form),
      });
      return ((await answer.json()) as TokenBody).access_token;
    },
    rotate: () => asked('rotate'),
    forget: () => asked('forget'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};
