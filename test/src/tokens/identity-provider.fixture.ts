import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as client from 'openid-client';

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

/** A provider in a process of its own, and its partner, who finds it by discovery. */
export const identityProvider = async (...networkIds: readonly number[]): Promise<IdentityProvider> => {
  const child = spawn(process.execPath, ['--enable-source-maps', main, theirAudience, networkIds.join()], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const told = async () => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the provider ended');
      if (value.startsWith('{')) return JSON.parse(value) as { issuer: string };
    }
  };
  const { issuer } = await told();
  const config = await client.discovery(new URL(issuer), 'partner', 'a secret of the partner: 100% + more', undefined, {
    execute: [client.allowInsecureRequests],
    algorithm: 'oauth2',
  });
  const asked = async (line: string) => {
    child.stdin.write(`${line}\n`);
    await told();
  };
  return {
    issuer,
    jwksUrl: config.serverMetadata().jwks_uri ?? '',
    token: async (resource = 'urn:popsvc:reports') =>
      (await client.clientCredentialsGrant(config, { scope: 'reporting', resource })).access_token,
    rotate: () => asked('rotate'),
    forget: () => asked('forget'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};
