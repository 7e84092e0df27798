/**
 * The process of an external identity provider: panva's oidc-provider with one client. The line `rotate` on standard input makes it sign
 * with a new key and publish all keys; `forget` makes it publish only the current key. It prints a JSON line at start and after each
 * command.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider from 'oidc-provider';

const algorithm = 'ES256';
const [audience = '', networks = ''] = process.argv.slice(2);

const createKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: algorithm, use: 'sig', kid: crypto.randomUUID() };
};

let keys = [await createKey()];
let handle: ReturnType<Provider['callback']> | undefined;
const server = createServer((request, response) => void handle?.(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const startServing = () => {
  const provider = new Provider(issuer, {
    jwks: { keys },
    clients: [
      {
        client_id: 'partner',
        client_secret: 'a secret of the partner: 100% + more',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: algorithm,
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'reporting',
          audience: resource === 'urn:popsvc:reports' ? audience : resource,
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: algorithm } },
        }),
      },
    },
    extraTokenClaims: () => ({ network_ids: networks.split(',').map(Number) }),
  });
  handle = provider.callback();
  process.stdout.write(`${JSON.stringify({ issuer, kids: keys.map(({ kid }) => kid) })}\n`);
};

startServing();
for await (const line of createInterface(process.stdin)) {
  if (line === 'rotate') keys = [await createKey(), ...keys];
  if (line === 'forget') keys = keys.slice(0, 1);
  startServing();
}
process.exit(0);
