import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { basic, type TokenBody } from './token-requests.fixture.ts';

const main = fileURLToPath(new URL('identity-provider.main.js', import.meta.url));

export const providerAudience = 'https://reports.example/';

export interface IdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Issues a token for the audience of the service, or for another resource. */
  token(resource?: string): Promise<string>;
  /** Signs with a new key from now on; the others stay published. */
  rotate(): Promise<void>;
  /** Publishes only the key it signs with. */
  dropOldKeys(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an identity provider in its own process. */
export const startIdentityProvider = async (...networkIds: readonly number[]): Promise<IdentityProvider> => {
  const child = spawn(process.execPath, ['--enable-source-maps', main, providerAudience, networkIds.join()], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines: AsyncIterator<string, undefined> = createInterface(child.stdout)[Symbol.asyncIterator]();
  const readMessage = async (): Promise<{ issuer: string }> => {
    for (;;) {
      const line = await lines.next();
      if (line.done === true) throw new Error('the identity provider exited');
      if (line.value.startsWith('{')) return JSON.parse(line.value) as { issuer: string };
    }
  };
  const { issuer } = await readMessage();
  const configuration = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { token_endpoint, jwks_uri } = (await configuration.json()) as Readonly<
    Record<'token_endpoint' | 'jwks_uri', string>
  >;
  const sendCommand = async (line: string) => {
    child.stdin.write(`${line}\n`);
    await readMessage();
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
    rotate: () => sendCommand('rotate'),
    dropOldKeys: () => sendCommand('forget'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};
