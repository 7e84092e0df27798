import { createClient } from '@popsvc/http-kit/auth/tokens';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { requestToken, type TokenBody } from '../tokens/token-requests.fixture.ts';
import { idOf, textOf } from './marks.ts';

/** A credential, and its networks in order. */
export interface Caller {
  readonly kind: 'client' | 'key';
  readonly networks: readonly number[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Ids that the service issues to a vendor. */
export interface Handed {
  readonly jobId: string;
  readonly fileId: string;
  readonly uploadUrl: string;
  /** Subscription of the vendor. */
  readonly vendorWebhook: string;
  /** Subscription of a partner with this network alone, or first. */
  readonly partnerWebhook?: string;
}

export interface TenantsWorld {
  readonly service: TestServices;
  readonly networks: readonly number[];
  readonly callers: readonly Caller[];
  readonly handed: ReadonlyMap<number, Handed>;
}

export const networkName = (network: number): string => textOf(network, 'network');
export const places = { sites: [10, 11], locations: [20, 21], devices: [30, 31], feeders: [40, 41], apps: ['player'] };

/** The registry of a network; the same entities for each network. */
export const registryOf = (k: number) => {
  const named = (kind: string, thing: number) => ({ id: idOf(k, thing), name: textOf(k, `${kind} ${thing}`) });
  return {
    networks: [{ ...named('network', 0), name: networkName(k), timezone: 'Europe/Berlin' }],
    vendors: [{ code: `zq${k}x`, name: textOf(k, 'vendor'), network: idOf(k) }],
    sites: places.sites.map((thing) => ({ ...named('site', thing), network: idOf(k), timezone: 'Europe/Berlin' })),
    locations: places.locations.map((thing) => ({ ...named('location', thing), site: idOf(k, thing - 10) })),
    devices: places.devices.map((thing) => ({
      ...named('device', thing),
      location: idOf(k, thing - 10),
      screen_ids: [textOf(k, `screen ${thing}`)],
    })),
    feeders: places.feeders.map((thing) => ({ ...named('feeder', thing), device: idOf(k, thing - 10) })),
    cameras: [{ ...named('camera', 50), device: idOf(k, 30), feeder: idOf(k, 40) }],
    campaigns: [
      {
        ...named('campaign', 60),
        network: idOf(k),
        // The same in every network: only the network distinguishes them.
        external_id: 'C-1',
        subscription_name: textOf(k, 'subscription'),
        strategies: [named('strategy', 70)],
      },
    ],
    creatives: [{ external_id: 'CR-1', title: textOf(k, 'title'), campaign: idOf(k, 60) }],
    apps: [{ code: 'player', name: 'Player' }],
  };
};

/** Sends one of everything that a vendor can send, over HTTP. */
const send = async (service: TestServices, k: number, key: string): Promise<Handed> => {
  const at = new Date(Date.now() - 600_000);
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${service.ingestUrl}/popsvc/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Readonly<Record<string, string>>;
  };
  const playedAt = at.toISOString();
  const endedAt = new Date(at.getTime() + 10_000).toISOString();
  await post('/pop/events', {
    events: places.devices.map((thing) => ({
      eventId: textOf(k, `play ${thing}`),
      screenId: textOf(k, `screen ${thing}`),
      campaignId: 'C-1',
      creativeId: 'CR-1',
      playedAt,
      durationMs: 10_000,
    })),
  });
  await post('/audience/detections', {
    detections: places.devices.map((thing) => ({
      detectionId: textOf(k, `detection ${thing}`),
      deviceId: idOf(k, thing),
      feederId: idOf(k, thing + 10),
      watcherId: idOf(k, 80 + thing),
      reid: textOf(k, 'reid'),
      startedAt: playedAt,
      endedAt,
      watches: [{ startedAt: playedAt, endedAt }],
    })),
  });
  const now = new Date().toISOString();
  await post('/heartbeats', {
    heartbeats: [
      { deviceId: idOf(k, 30), at: now },
      { feederId: idOf(k, 40), at: now },
      { deviceId: idOf(k, 30), appCode: 'player', at: now },
    ],
  });
  const interval = { deviceId: idOf(k, 31), appCode: 'player', state: 'running', startedAt: playedAt, endedAt };
  await post('/intervals', { intervals: [interval] });
  await post('/pop/dynamic', { schemaVersion: 'v1', events: [{ of: textOf(k, 'dynamic event') }] });
  const bulk = '/pop/dynamic/bulk';
  const file = { fileName: `${textOf(k, 'file')}.ndjson`, format: 'ndjson' };
  const { uploadUrl = '', fileId = '', contentType = '' } = await post(`${bulk}/upload-url`, file);
  await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': contentType }, body: '{"a":1}\n' });
  const { jobId = '' } = await post(`${bulk}/ingest`, { fileId, schemaVersion: 'v1' });
  const webhook = { url: `https://example.com/${textOf(k, 'hook')}`, types: ['job.finished'] };
  const { data } = await post('/webhooks', webhook);
  return { jobId, fileId, uploadUrl, vendorWebhook: (data as unknown as { id: string }).id };
};

/** Creates a subscription of a partner. Returns its id. */
const subscribe = async (service: TestServices, k: number, headers: Caller['headers']): Promise<string> => {
  const answer = await fetch(`${service.queryUrl}/api/v1/webhooks`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `https://example.com/${textOf(k, 'partner hook')}`, types: ['report_day.final'] }),
  });
  const { data } = (await answer.json()) as { readonly data: { readonly id: string } };
  return data.id;
};

/** Creates networks with equal entities and equal data of vendors, and callers of one network and of several. */
export const tenantsWorld = async (): Promise<TenantsWorld> => {
  const service = await startTestServices();
  const networks = [1, 2, 3, 4];
  for (const k of networks) await service.register(registryOf(k));
  const handed = new Map<number, Handed>();
  const callers: Caller[] = [];
  for (const k of networks) {
    const key = await service.apiKey(idOf(k), `zq${k}x`);
    handed.set(k, await send(service, k, key));
    callers.push({ kind: 'key', networks: [k], headers: { 'x-api-key': key } });
  }
  await service.project();
  for (const of of [[1], [2, 1], [3, 4], [4, 1, 2], [2, 77], [78]]) {
    const { client, clientSecret } = await createClient(service.postgres, { networkIds: of.map((k) => idOf(k)) });
    const form = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: clientSecret };
    const { access_token } = (await (await requestToken({ url: service.queryUrl }, form)).json()) as TokenBody;
    const headers = { authorization: `Bearer ${access_token}` };
    callers.push({ kind: 'client', networks: of, headers });
    const [k] = of;
    const own = handed.get(k!);
    if (own) handed.set(k!, { ...own, partnerWebhook: await subscribe(service, k!, headers) });
  }
  callers.push({ kind: 'client', networks: [], headers: {} });
  return { service, networks, callers, handed };
};
