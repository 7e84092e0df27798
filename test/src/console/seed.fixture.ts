import { randomUUID } from 'node:crypto';
import { intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { type NewEvent, openEventStore } from '@popsvc/platform/event-store';
import { createBulkClient, createTestPartner, waitUntil, type Service } from '@popsvc/tools/rig';
import { listEvent } from '../support/list-events.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const network = 101;
const vendor = 'acme';

/** Two sites with six devices each. */
const registry = {
  networks: [
    { id: network, name: 'Northlight', timezone: 'Europe/London' },
    { id: 102, name: 'Riverside', timezone: 'Europe/London' },
  ],
  vendors: [{ code: vendor, name: 'Acme', network }],
  sites: [
    { id: 111, name: 'Quay Centre', network, timezone: 'Europe/London' },
    { id: 112, name: 'Central Station', network, timezone: 'Europe/London' },
  ],
  locations: [
    { id: 121, name: 'North hall', site: 111 },
    { id: 122, name: 'Platform 4', site: 112 },
  ],
  devices: Array.from({ length: 12 }, (_, index) => ({
    id: 201 + index,
    name: `${['Entrance', 'Food court', 'Lift lobby'][index % 3]!} ${index + 1}`,
    location: 121 + (index % 2),
    screen_ids: [`NL-${1_001 + index}`],
    effective_from: instantOf(Date.now() - 60 * hourMs),
  })),
  feeders: [{ id: 301, name: 'Entrance feed', device: 201 }],
};

const onlineDevices = [201, 202, 203, 204, 205, 206, 207];
/** Its last heartbeat is two hours old. */
export const offlineDevice = 208;
/** It sent no heartbeats from 30 to 26 hours ago. */
export const deviceWithOutage = 202;
/** It never sent a heartbeat. */
export const neverSeenDevice = 212;

/** The id of a play of today. */
export const lookedUpEvent = 'play-to-look-up';

const storedEvent = (event: Pick<NewEvent, 'type' | 'data'>, receivedMs: number, schemaVersion = 1): NewEvent => ({
  id: randomUUID(),
  ...event,
  metadata: { schemaVersion, receivedAt: instantOf(receivedMs), network, vendor },
});

const heartbeat = (deviceId: number, ms: number) =>
  storedEvent(listEvent('HeartbeatsRecorded', { deviceId, at: instantOf(ms) }), ms);

const play = (screen: number, ms: number, version?: number) =>
  storedEvent(
    listEvent('PlaysRecorded', {
      eventId: `play-${screen}-${ms}`,
      screenId: `NL-${screen}`,
      campaignId: 'C-1',
      creativeId: 'CR-1',
      playedAt: instantOf(ms),
      durationMs: 10_000,
    }),
    ms + 10_000,
    version,
  );

/** The events that the log contains after two days. */
const history = (nowMs: number) => {
  const hours = Array.from({ length: 48 }, (_, index) => nowMs - (48 - index) * hourMs);
  const isOnline = (device: number, ms: number) =>
    (device !== offlineDevice || ms < nowMs - 2 * hourMs) &&
    (device !== deviceWithOutage || ms < nowMs - 30 * hourMs || ms >= nowMs - 26 * hourMs);
  const frequentHeartbeats = hours.flatMap((ms) =>
    Array.from({ length: 15 }, (_, index) => ms + index * 4 * minuteMs).flatMap((at) =>
      [deviceWithOutage, offlineDevice].filter((device) => isOnline(device, at)).map((device) => heartbeat(device, at)),
    ),
  );
  const hourlyHeartbeats = hours.flatMap((ms) =>
    onlineDevices.filter((device) => device !== deviceWithOutage).map((device) => heartbeat(device, ms)),
  );
  const plays = hours.flatMap((ms, index) =>
    [...onlineDevices, offlineDevice]
      // No plays at night, and a few hours without plays by day.
      .filter((device) => index % 24 > 5 && (device + index) % 11 !== 0 && isOnline(device, ms))
      .map((device) => play(device + 800, ms + minuteMs)),
  );
  const byReceipt = (a: NewEvent, b: NewEvent) => receivedOf(a).localeCompare(receivedOf(b));
  return { heartbeats: [...frequentHeartbeats, ...hourlyHeartbeats].sort(byReceipt), plays };
};

const receivedOf = ({ metadata }: NewEvent): string => (metadata as { receivedAt: string }).receivedAt;

/** An ordinary day: devices online and offline, an outage, a file with bad rows, a notice for a subscriber, a parked and a quarantined event. */
export const seed = async ({ credentials, endpoints }: Service, subscriberUrl: string): Promise<void> => {
  const { ops_base_url, ingest_base_url, operator_token } = credentials;
  const headers = { authorization: `Bearer ${operator_token}`, 'content-type': 'application/json' };
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${ops_base_url}/ops/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const get = async <Body>(path: string) =>
    (await (await fetch(`${ops_base_url}/ops/v1${path}`, { headers })).json()) as Body;
  await post('/registry', registry);
  const { api_key } = (await post('/api-keys', { network, vendor })) as { api_key: string };
  const store = openEventStore({ url: endpoints.event_store });
  const nowMs = Date.now();
  const { heartbeats, plays } = history(nowMs);
  const append = async (kind: 'heartbeat' | 'pop', events: readonly NewEvent[]) => {
    await store.append(intakeStream(kind, network, vendor, nowMs), events);
  };
  for (let at = 0; at < heartbeats.length; at += 500) await append('heartbeat', heartbeats.slice(at, at + 500));
  await append('pop', plays);
  // A schema version of a newer release: projections park it.
  await append('pop', [play(1_001, nowMs - minuteMs, 99)]);
  await store.close();
  const { push } = createTestPartner({ ...credentials, api_key });
  const currentHeartbeats = onlineDevices.map((deviceId) => ({ deviceId, at: instantOf(Date.now()) }));
  const pushed = await push('/heartbeats', { heartbeats: currentHeartbeats });
  if (!pushed.ok) throw new Error(await pushed.text());
  await push('/pop/events', { events: [{ eventId: 'bad' }] });
  const played = { screenId: 'NL-1001', campaignId: 'C-1', creativeId: 'CR-1', durationMs: 10_000 };
  await push('/pop/events', { events: [{ ...played, eventId: lookedUpEvent, playedAt: instantOf(nowMs - minuteMs) }] });
  await push('/pop/dynamic', { schemaVersion: 'player-9', events: [{ screen: 'NL-1001', when: 'today' }] });
  const webhook = (await post('/webhooks', { network, url: subscriberUrl, types: ['job.finished'] })) as { id: string };
  const rows = ['{"screen":"NL-1001"}', 'not JSON', '{"screen":"NL-1002"}'];
  await createBulkClient(ingest_base_url, api_key).ingest({
    format: 'ndjson',
    body: `${rows.join('\n')}\n`,
    schemaVersion: 'file-1',
  });
  await waitUntil(
    async () => ({
      parked: (await get<{ parked: unknown[] }>('/parked?projection=coffee')).parked.length,
      outages: (await get<{ outages: unknown[] }>(`/outages?device=${deviceWithOutage}`)).outages.length,
      // Recorded by a sweep, which runs each minute.
      ongoingOutages: (await get<{ outages: unknown[] }>(`/outages?device=${offlineDevice}`)).outages.length,
      // Counted by command-api, which writes its counts every ten seconds.
      refusals: (await get<{ refusals: unknown[] }>('/refusals')).refusals.length,
      jobs: (await get<{ jobs: unknown[] }>('/jobs')).jobs.length,
      offline: (await get<{ total: number }>(`/devices?network=${network}&status=offline`)).total,
      delivered: (await get<{ deliveries: unknown[] }>(`/webhooks/${webhook.id}/deliveries?state=delivered`)).deliveries
        .length,
    }),
    (counts) => Object.values(counts).every((count) => count > 0),
    120_000,
  );
};
