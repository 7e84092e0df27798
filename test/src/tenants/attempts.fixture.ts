import fc from 'fast-check';
import { idOf, textOf } from './marks.ts';
import { networkName, places, type TenantsWorld } from './tenants-world.fixture.ts';

export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A request without its caller. */
export interface Attempt {
  readonly server: 'query' | 'ingest';
  readonly method: string;
  readonly path: string;
  readonly query: Fields;
  readonly body?: object;
  /** The X-Network-Name header. */
  readonly named?: string;
}

/** A network that no caller has, to compare with existing foreign ones. */
export const nowhere = 99;

const hour = 3_600_000;
const nowMs = Date.now();

const fromNow = (ms: number) => new Date(nowMs + ms).toISOString();

const window = () => ({
  from: fc.constantFrom(fromNow(-hour), fromNow(-24 * hour), '2026-08-20'),
  to: fc.constantFrom(fromNow(hour), fromNow(24 * hour)),
});
const optional = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] }) as unknown as fc.Arbitrary<Fields>;
const text = (...values: string[]) => fc.constantFrom(...values);

/** Requests for every path of `/openapi.json`, about entities of a network. */
const requests = (
  { handed }: TenantsWorld,
  k: number,
): Readonly<Record<string, fc.Arbitrary<Pick<Attempt, 'path'> & Partial<Attempt>>>> => {
  const ids = (things: readonly number[]) =>
    fc.subarray(
      things.map((thing) => String(idOf(k, thing))),
      { minLength: 1 },
    );
  const report = {
    ...window(),
    site_id: ids(places.sites),
    limit: text('1', '5000'),
    offset: text('0', '1'),
    network_id: text(String(idOf(k))),
  };
  const paged = {
    ...report,
    sort: text('asc', 'desc'),
    after: text('2026-08-20T00:00:00Z', `${fromNow(-hour).slice(0, 23)}0000000000000001Z`),
    format: text('json', 'ndjson'),
  };
  const file = { ...report, format: text('csv', 'ndjson', 'parquet'), excel_safe: text('true') };
  const place = { site_id: ids(places.sites), location_id: ids(places.locations) };
  const get = (path: string, query: fc.Arbitrary<Fields> = fc.constant({})) =>
    query.map((params) => ({ path, query: params }));
  /** With any of the parameters, or only the required ones. */
  const needing = (
    fields: ReturnType<typeof window> & Readonly<Record<string, fc.Arbitrary<unknown>>>,
  ): fc.Arbitrary<Fields> =>
    fc.oneof(
      fc.record(fields, { requiredKeys: ['from', 'to'] }) as unknown as fc.Arbitrary<Fields>,
      fc.record(window()) as unknown as fc.Arbitrary<Fields>,
    );
  /** Only validates, so that the world does not change. */
  const tried = { validate_only: 'true' };
  const post = (path: string, body: object, query: Fields = tried) =>
    fc.constant({ path, method: 'POST', body, query });
  const at = new Date(nowMs).toISOString();
  const mine = handed.get(k);
  const eventId = encodeURIComponent(textOf(k, `play ${places.devices[0]}`));
  const play = {
    screenId: textOf(k, 'screen 30'),
    campaignId: 'C-1',
    creativeId: 'CR-1',
    playedAt: at,
    durationMs: 1_000,
  };
  const uuid = '0198c0de-0000-7000-8000-000000000000';
  const upload = new URL(
    mine?.uploadUrl ?? `http://localhost/popsvc/v1/uploads/${idOf(k)}/${uuid}?expires=1&signature=x`,
  );
  const device = fc.constantFrom(...places.devices);
  const feeder = fc.constantFrom(...places.feeders);
  return {
    '/api/v1/coffee': get('/api/v1/coffee', needing(paged)),
    '/api/v1/watcher-summary': get('/api/v1/watcher-summary', needing(paged)),
    '/api/v1/coffee/download': get('/api/v1/coffee/download', needing(file)),
    '/api/v1/watcher-summary/download': get('/api/v1/watcher-summary/download', needing(file)),
    ...Object.fromEntries(
      ['coffee', 'watcher-summary'].flatMap((dataset) => {
        const path = `/api/v1/${dataset}/changes`;
        const sites = { site_id: ids(places.sites) };
        return [
          [path, get(path, optional({ ...sites, limit: text('1', '5000') }))],
          [`${path}/start`, get(`${path}/start`)],
          [`${path}/download`, get(`${path}/download`, optional({ ...sites, format: text('ndjson', 'parquet') }))],
        ];
      }),
    ),
    '/api/v1/metric-definitions': get('/api/v1/metric-definitions'),
    '/api/v1/data-dictionary': get('/api/v1/data-dictionary', optional({ format: text('json', 'csv') })),
    '/api/v1/devices/status': get('/api/v1/devices/status', optional(place)),
    '/api/v1/feeders/status': get('/api/v1/feeders/status', optional(place)),
    '/api/v1/devices/status/{id}': device.map((thing) => ({ path: `/api/v1/devices/status/${idOf(k, thing)}` })),
    '/api/v1/feeders/status/{id}': feeder.map((thing) => ({ path: `/api/v1/feeders/status/${idOf(k, thing)}` })),
    '/api/v1/device-apps/{deviceId}/{appCode}/uptime': fc
      .tuple(device, optional(window()))
      .map(([thing, query]) => ({ path: `/api/v1/device-apps/${idOf(k, thing)}/player/uptime`, query })),
    '/popsvc/v1/pop/events/{eventId}': get(`/popsvc/v1/pop/events/${eventId}`),
    '/popsvc/v1/pop/summary': get('/popsvc/v1/pop/summary', optional(window())),
    '/popsvc/v1/pop/jobs': get(
      '/popsvc/v1/pop/jobs',
      optional({ status: text('completed', 'queued'), limit: text('1') }),
    ),
    '/popsvc/v1/pop/quarantine': get(
      '/popsvc/v1/pop/quarantine',
      optional({ schema_version: text('v1'), job_id: text(mine?.jobId ?? uuid), limit: text('1') }),
    ),
    '/popsvc/v1/pop/reconcile': post(
      '/popsvc/v1/pop/reconcile',
      {
        from: at,
        to: new Date(nowMs + hour).toISOString(),
        events: [{ eventId: textOf(k, `play ${places.devices[0]}`) }],
      },
      {},
    ),
    '/api/v1/webhooks': get('/api/v1/webhooks'),
    '/api/v1/webhooks/{id}': fc.constant({
      path: `/api/v1/webhooks/${mine?.partnerWebhook ?? uuid}`,
      method: 'DELETE',
    }),
    '/api/v1/webhooks/{id}/deliveries': get(`/api/v1/webhooks/${mine?.partnerWebhook ?? uuid}/deliveries`),
    '/api/v1/webhooks/{id}/rotate': post(`/api/v1/webhooks/${mine?.partnerWebhook ?? uuid}/rotate`, {}, {}),
    '/api/v1/webhooks/{id}/redeliver': post(`/api/v1/webhooks/${mine?.partnerWebhook ?? uuid}/redeliver`, {}, {}),
    '/api/v1/webhooks/{id}/test': post(`/api/v1/webhooks/${mine?.partnerWebhook ?? uuid}/test`, {}, {}),
    '/popsvc/v1/webhooks': get('/popsvc/v1/webhooks'),
    '/popsvc/v1/webhooks/{id}': fc.constant({
      path: `/popsvc/v1/webhooks/${mine?.vendorWebhook ?? uuid}`,
      method: 'DELETE',
    }),
    '/popsvc/v1/webhooks/{id}/deliveries': get(`/popsvc/v1/webhooks/${mine?.vendorWebhook ?? uuid}/deliveries`),
    '/popsvc/v1/webhooks/{id}/rotate': post(`/popsvc/v1/webhooks/${mine?.vendorWebhook ?? uuid}/rotate`, {}, {}),
    '/popsvc/v1/webhooks/{id}/redeliver': post(`/popsvc/v1/webhooks/${mine?.vendorWebhook ?? uuid}/redeliver`, {}, {}),
    '/popsvc/v1/webhooks/{id}/test': post(`/popsvc/v1/webhooks/${mine?.vendorWebhook ?? uuid}/test`, {}, {}),
    '/popsvc/v1/pop/events': post('/popsvc/v1/pop/events', { events: [{ eventId: textOf(k, 'play 30'), ...play }] }),
    '/popsvc/v1/pop/dynamic': post('/popsvc/v1/pop/dynamic', {
      schemaVersion: 'v1',
      events: [{ of: textOf(k, 'play') }],
    }),
    '/popsvc/v1/heartbeats': post('/popsvc/v1/heartbeats', { heartbeats: [{ deviceId: idOf(k, 31), at }] }),
    '/popsvc/v1/intervals': post('/popsvc/v1/intervals', {
      intervals: [{ deviceId: idOf(k, 31), appCode: 'player', state: 'running', startedAt: at }],
    }),
    '/popsvc/v1/audience/detections': post('/popsvc/v1/audience/detections', {
      detections: [
        {
          ...{
            detectionId: textOf(k, 'detection 30'),
            deviceId: idOf(k, 30),
            feederId: idOf(k, 40),
            cameraId: idOf(k, 50),
          },
          ...{ watcherId: 1, startedAt: at, endedAt: at, watches: [] },
        },
      ],
    }),
    '/popsvc/v1/pop/dynamic/bulk/upload-url': post('/popsvc/v1/pop/dynamic/bulk/upload-url', {
      fileName: `${textOf(k, 'file')}.csv`,
      format: 'csv',
    }),
    '/popsvc/v1/uploads/{network}/{fileId}': fc.constantFrom('PUT', 'GET', 'DELETE').map((method) => ({
      path: `${upload.pathname}${upload.search}x`,
      method,
    })),
    '/popsvc/v1/pop/dynamic/bulk/ingest': post(
      '/popsvc/v1/pop/dynamic/bulk/ingest',
      {
        fileId: mine?.fileId ?? uuid,
        schemaVersion: 'v1',
      },
      {},
    ),
    '/popsvc/v1/pop/dynamic/bulk/jobs/{jobId}': get(`/popsvc/v1/pop/dynamic/bulk/jobs/${mine?.jobId ?? uuid}`),
    ...Object.fromEntries(
      ['/healthz', '/readyz', '/version', '/metrics', '/.well-known/jwks.json', '/oauth/token'].map((path) => [
        path,
        get(path),
      ]),
    ),
  };
};

/** Described paths whose responses cannot contain entities of the world. */
const still = ['/openapi.json', '/docs'];

/** One request about a network for each path of a server; the same seed makes the same request about another network. */
export const attempts = (
  world: TenantsWorld,
  server: Attempt['server'],
  path: string,
  k: number,
): fc.Arbitrary<Attempt> => {
  const found = requests(world, k)[path];
  if (!found) throw new Error(`no request is defined for ${path}`);
  return fc.tuple(found, nameHeader(k)).map(([request, named]) => ({
    server,
    method: 'GET',
    query: {},
    ...request,
    ...(named !== undefined && { named }),
  }));
};

/** The network's name in spellings that match, or nearly match. */
const nameHeader = (k: number): fc.Arbitrary<string | undefined> => {
  const name = networkName(k);
  return fc.option(
    fc.constantFrom(
      name,
      ` ${name.toUpperCase()} `,
      encodeURIComponent(name),
      name.slice(0, -1),
      `${name}' OR '1'='1`,
      `${idOf(k)}`,
    ),
    { nil: undefined, freq: 2 },
  );
};

/** Every path in a server's OpenAPI document. */
export const describedPaths = async (url: string): Promise<readonly string[]> => {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
  return Object.keys(paths).filter((path) => !still.includes(path));
};
