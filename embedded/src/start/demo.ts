import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '@popsvc/platform/runtime';
import type { Services } from './services.ts';

const demoVendor = 'demo';

const allWeek = (hours: string) =>
  Object.fromEntries(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, [hours]]));

const demoNetwork = { id: 1, name: 'Demo network', timezone: 'Europe/Berlin' };

const demoRegistry = {
  networks: [demoNetwork],
  vendors: [{ code: demoVendor, name: 'Demo player', network: 1 }],
  sites: [
    { id: 11, name: 'Central Station', network: 1, timezone: 'Europe/Berlin', business_hours: allWeek('05:00-24:00') },
    { id: 12, name: 'Market Hall', network: 1, timezone: 'Europe/Berlin', business_hours: allWeek('08:00-20:00') },
  ],
  locations: [
    { id: 21, name: 'Main concourse', site: 11 },
    { id: 22, name: 'North entrance', site: 12 },
  ],
  devices: [
    { id: 31, name: 'Concourse screen', location: 21, screen_ids: ['demo-screen-1'] },
    { id: 32, name: 'Entrance screen', location: 22, screen_ids: ['demo-screen-2'] },
  ],
  feeders: [{ id: 41, name: 'Concourse feed', device: 31 }],
  cameras: [{ id: 51, name: 'Concourse camera', device: 31, feeder: 41 }],
  apps: [{ code: 'player', name: 'Media player' }],
  campaigns: [
    {
      id: 61,
      network: 1,
      external_id: 'DEMO-1',
      name: 'Demo campaign',
      subscription_name: 'Demo subscription',
      strategies: [{ id: 71, name: 'Commuters' }],
    },
  ],
  creatives: [
    {
      external_id: 'DEMO-CR-1',
      title: 'demo_spot_10s.mp4',
      display_title: 'Demo spot',
      campaign: 61,
      duration_ms: 10_000,
    },
  ],
};

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
type DemoCredentials = z.output<typeof Credentials>;

const requestAsOperator = async (url: string, token: string, body?: object): Promise<unknown> => {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`);
  return response.json();
};

const addresses = ({ query, ingest, ops }: Services) => ({
  query_base_url: query,
  ingest_base_url: ingest,
  token_url: `${query}/oauth/token`,
  ops_base_url: ops,
});

const waitUntilReadable = async (query: string, apiKey: string): Promise<void> => {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const response = await fetch(`${query}/api/v1/metric-definitions`, { headers: { 'x-api-key': apiKey } });
    if (response.ok) return;
    if (Date.now() > deadline)
      throw new Error(`${query} did not accept the API key of the demo network within 20 s: ${await response.text()}`);
    await sleep(100);
  }
};

const Key = z.object({ api_key: z.string() });
const Client = z.object({ client_id: z.string(), client_secret: z.string() });

const credentialsPath = (dataDir: string): string => join(dataDir, 'demo-credentials.json');

export const updateDemoCredentials = async (
  dataDir: string,
  services: Services,
  operatorToken: string,
): Promise<DemoCredentials | undefined> => {
  const stored = await readJsonFile(credentialsPath(dataDir));
  if (stored === undefined) return undefined;
  const updated = { ...Credentials.parse(stored), ...addresses(services), operator_token: operatorToken };
  await writeJsonFile(credentialsPath(dataDir), updated);
  return updated;
};

const checkTimeoutMs = 5_000;

/** A service that does not answer, as may happen on a read-only log, counts as accepting the credentials. */
export const areDemoCredentialsAccepted = async (credentials: DemoCredentials): Promise<boolean> => {
  const { ingest_base_url, token_url, api_key, client_id, client_secret } = credentials;
  const isRefused = (url: string, options: RequestInit): Promise<boolean> =>
    fetch(url, { ...options, signal: AbortSignal.timeout(checkTimeoutMs) }).then(
      ({ status }) => status === 401 || status === 403,
      () => false,
    );
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const refused = await Promise.all([
    isRefused(`${ingest_base_url}/popsvc/v1/pop/jobs`, { headers: { 'x-api-key': api_key } }),
    isRefused(token_url, { method: 'POST', body }),
  ]);
  return !refused.includes(true);
};

const NetworkList = z.object({ networks: z.array(z.object({ id: z.int(), name: z.string() })) });

/** The demo network never replaces another network. If `SEED_DEMO` does not request it, it is registered only if there is no other. */
export const mayRegisterDemo = async (ops: string, operatorToken: string, isRequested: boolean): Promise<boolean> => {
  const { networks } = NetworkList.parse(await requestAsOperator(`${ops}/ops/v1/networks`, operatorToken));
  const others = networks.filter(({ id, name }) => id !== demoNetwork.id || name !== demoNetwork.name);
  return isRequested ? others.every(({ id }) => id !== demoNetwork.id) : others.length === 0;
};

export const createDemoNetwork = async (
  dataDir: string,
  services: Services,
  operatorToken: string,
): Promise<DemoCredentials> => {
  const ops = `${services.ops}/ops/v1`;
  await requestAsOperator(`${ops}/registry`, operatorToken, demoRegistry);
  const network_ids = [demoNetwork.id];
  const key = Key.parse(
    await requestAsOperator(`${ops}/api-keys`, operatorToken, { network: network_ids[0], vendor: demoVendor }),
  );
  const client = Client.parse(await requestAsOperator(`${ops}/clients`, operatorToken, { networks: network_ids }));
  const created = {
    ...addresses(services),
    operator_token: operatorToken,
    client_id: client.client_id,
    client_secret: client.client_secret,
    api_key: key.api_key,
    network_ids,
  };
  await waitUntilReadable(services.query, key.api_key);
  await writeJsonFile(credentialsPath(dataDir), created);
  return created;
};

const dayMs = 86_400_000;

export const printableExamples = (credentials: DemoCredentials, nowMs: number): string => {
  const { query_base_url, ingest_base_url, token_url, client_id, client_secret, api_key } = credentials;
  const playedAt = new Date(nowMs).toISOString();
  const seenAt = (ms: number) => new Date(nowMs + ms).toISOString();
  const from = new Date(nowMs - dayMs).toISOString().slice(0, 10);
  const to = new Date(nowMs + dayMs).toISOString().slice(0, 10);
  const play = {
    events: [
      {
        eventId: `demo-${nowMs}`,
        screenId: 'demo-screen-1',
        campaignId: 'DEMO-1',
        creativeId: 'DEMO-CR-1',
        playedAt,
        durationMs: 10_000,
        startReason: 'scheduled',
      },
    ],
  };
  const detection = {
    detections: [
      {
        detectionId: `demo-${nowMs}`,
        deviceId: 31,
        feederId: 41,
        watcherId: randomInt(1, 2 ** 48 - 1),
        startedAt: seenAt(1_000),
        endedAt: seenAt(8_000),
        gender: 'female',
        ageCategory: 'adult',
        watches: [{ startedAt: seenAt(2_000), endedAt: seenAt(5_500) }],
      },
    ],
  };
  const post = (path: string, body: unknown) =>
    `curl -s ${ingest_base_url}${path} -H 'X-API-Key: ${api_key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const token = `$(curl -s ${token_url} -d grant_type=client_credentials -d client_id=${client_id} -d client_secret=${client_secret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  return [
    '',
    '# as a vendor, send a play and a detection of a person in front of the screen',
    `${post('/popsvc/v1/pop/events', play)} && ${post('/popsvc/v1/audience/detections', detection)}`,
    '',
    '# as a partner, read the report as JSON with an access token',
    `curl -s "${query_base_url}/api/v1/coffee?from=${from}&to=${to}" -H "Authorization: Bearer ${token}"`,
    '',
    '# with the API key, read the report as CSV',
    `curl -s "${query_base_url}/api/v1/coffee/download?from=${from}&to=${to}" -H 'X-API-Key: ${api_key}'`,
    '',
    '',
  ].join('\n');
};
