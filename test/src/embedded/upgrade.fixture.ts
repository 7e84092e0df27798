import { createBulkClient, createTestPartner, type DemoCredentials } from '@popsvc/tools/rig';
import { fillReports, readReports, type Reports, waitUntilProjected } from '../faults/damaged-installation.fixture.ts';

/** Credentials that were created besides those of the demo network. Responses contain them only once. */
export interface Issued {
  readonly apiKey: string;
  readonly revokedKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Responses that are the same after an upgrade, but for columns and fields that a later release adds. */
export interface Answers {
  readonly reports: Reports;
  /** The status of events, by event id. */
  readonly events: Readonly<Record<string, unknown>>;
  /** The bulk jobs of the vendor, and what waits in quarantine. */
  readonly lists: Readonly<Record<string, unknown>>;
}

const schema = 'player-3';
const mapping = {
  vendor: 'demo',
  schema_version: schema,
  fields: {
    eventId: { path: 'ref' },
    screenId: { path: 'screen' },
    campaignId: { path: 'io' },
    creativeId: { path: 'asset' },
    playedAt: { path: 'start', time: 'iso' },
    duration: { path: 'seconds', unit: 's' },
  },
};

/** A play of the day of the reports. */
export const play = (eventId: string, fields: object = {}) => ({
  eventId,
  screenId: 'demo-screen-1',
  campaignId: 'DEMO-1',
  creativeId: 'DEMO-CR-1',
  playedAt: '2026-09-01T12:00:00.000Z',
  durationMs: 10_000,
  ...fields,
});

const own = (ref: string, fields: object = {}) => ({
  ref,
  screen: 'demo-screen-2',
  io: 'DEMO-1',
  asset: 'DEMO-CR-1',
  start: '2026-09-01T13:00:00Z',
  seconds: 10,
  ...fields,
});

/** One event for each outcome that a vendor can see. */
const shownEvents = ['p-0', 'once', 'differs', 'unresolved', 'mapped', 'in-file', 'unparsable', 'never-sent'];
const vendorLists = ['jobs', 'quarantine'];

/** Sends a request to the operations API; returns the JSON of its response, undefined if it has none. */
const requestAsOperator = async (
  { ops_base_url: url, operator_token: token }: DemoCredentials,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> => {
  const response = await fetch(`${url}/ops/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
};

/** Fills a new installation with events of every kind and outcome, a mapping, a bulk job, API keys and a client. */
export const fillInstallation = async (credentials: DemoCredentials): Promise<Issued> => {
  const asOperator = requestAsOperator.bind(undefined, credentials);
  await fillReports(credentials);
  await asOperator('POST', '/mappings', mapping);
  const { push } = createTestPartner(credentials);
  for (const [path, body] of [
    ['/pop/events', { events: [play('once'), play('differs'), play('unresolved', { screenId: 'unknown-screen' })] }],
    ['/pop/events', { events: [play('once'), play('differs', { durationMs: 20_000 })] }],
    ['/pop/dynamic', { schemaVersion: schema, events: [own('mapped'), own('unparsable', { start: 'yesterday' })] }],
    ['/pop/dynamic', { schemaVersion: 'player-4', events: [own('unmapped')] }],
  ] as const) {
    const response = await push(path, body);
    if (response.status !== 202) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
  }
  const bulk = createBulkClient(credentials.ingest_base_url, credentials.api_key);
  const rows = [own('in-file'), own('unparsable-in-file', { seconds: 'ten' })];
  const file = rows.map((row) => JSON.stringify(row)).join('\n');
  await bulk.ingest({ format: 'ndjson', body: file, schemaVersion: schema });

  const newKey = { network: 1, vendor: 'demo' };
  const [kept, revoked] = (await Promise.all([
    asOperator('POST', '/api-keys', newKey),
    asOperator('POST', '/api-keys', newKey),
  ])) as readonly { readonly id: string; readonly api_key: string }[];
  await asOperator('DELETE', `/api-keys/${revoked!.id}`);
  const client = (await asOperator('POST', '/clients', { networks: [1] })) as {
    readonly client_id: string;
    readonly client_secret: string;
  };
  await waitUntilProjected(credentials);
  return {
    apiKey: kept!.api_key,
    revokedKey: revoked!.api_key,
    clientId: client.client_id,
    clientSecret: client.client_secret,
  };
};

/** Leaves out when the rows of an event were computed, which a replay changes. */
const withoutProjectedAt = ({ projectedAt: _, ...others }: { readonly projectedAt?: unknown }): unknown => others;

/** Reads the responses to compare. */
export const readAnswers = async (credentials: DemoCredentials): Promise<Answers> => {
  const readPop = async (path: string): Promise<unknown> => {
    const response = await fetch(`${credentials.ingest_base_url}/popsvc/v1/pop/${path}`, {
      headers: { 'x-api-key': credentials.api_key },
    });
    // The body of an error has the id of the request.
    return response.ok ? withoutProjectedAt((await response.json()) as object) : response.status;
  };
  const readEach = async (names: readonly string[], pathOf: (name: string) => string) =>
    Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readPop(pathOf(name))] as const)));
  return {
    reports: await readReports(credentials),
    events: await readEach(shownEvents, (id) => `events/${id}`),
    lists: await readEach(vendorLists, (name) => name),
  };
};
