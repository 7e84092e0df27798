import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { demoRegistry, demoVendor } from './demo-registry.ts';
import { readJson, writePrivate } from './private-file.ts';
import type { Services } from './services.ts';

const Credentials = z.object({
  query_base_url: z.string(),
  ingest_base_url: z.string(),
  token_url: z.string(),
  ops_base_url: z.string(),
  operator_token: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  api_key: z.string(),
  network_ids: z.array(z.int()),
});
export type DemoCredentials = z.output<typeof Credentials>;

const asked = async (url: string, token: string, body: unknown): Promise<unknown> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
};

const addresses = ({ query, ingest, ops }: Services) => ({
  query_base_url: query,
  ingest_base_url: ingest,
  token_url: `${query}/oauth/token`,
  ops_base_url: ops,
});

/** The registry reaches the reports within a second; whoever pastes a request right after the greeting must not be early. */
const whenReadable = async (query: string, apiKey: string): Promise<void> => {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const answer = await fetch(`${query}/api/v1/metric-definitions`, { headers: { 'x-api-key': apiKey } });
    if (answer.ok) return;
    if (Date.now() > deadline) throw new Error(`the demo network cannot be read: ${await answer.text()}`);
    await sleep(100);
  }
};

const Key = z.object({ api_key: z.string() });
const Client = z.object({ client_id: z.string(), client_secret: z.string() });

/** On the first boot registers the demo network with a key and a client; later only the addresses are brought up to date. */
export const demoCredentials = async (
  dataDir: string,
  services: Services,
  operatorToken: string,
): Promise<DemoCredentials> => {
  const path = join(dataDir, 'demo-credentials.json');
  const kept = await readJson(path);
  if (kept !== undefined) {
    const known = { ...Credentials.parse(kept), ...addresses(services), operator_token: operatorToken };
    await writePrivate(path, known);
    return known;
  }
  const ops = `${services.ops}/ops/v1`;
  await asked(`${ops}/registry`, operatorToken, demoRegistry);
  const network_ids = demoRegistry.networks.map(({ id }) => id);
  const key = Key.parse(await asked(`${ops}/api-keys`, operatorToken, { network: network_ids[0], vendor: demoVendor }));
  const client = Client.parse(await asked(`${ops}/clients`, operatorToken, { networks: network_ids }));
  const made = {
    ...addresses(services),
    operator_token: operatorToken,
    client_id: client.client_id,
    client_secret: client.client_secret,
    api_key: key.api_key,
    network_ids,
  };
  await whenReadable(services.query, key.api_key);
  await writePrivate(path, made);
  return made;
};
