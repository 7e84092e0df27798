import { expect } from 'chai';

/** The fields of error bodies and 202 bodies that tests read. */
export interface ReplyBody {
  readonly status?: boolean;
  readonly message: string;
  readonly acceptedAt?: string;
  readonly eventCount?: number;
  readonly schemaVersion?: string;
  readonly error?: {
    readonly code: string;
    readonly details: readonly { readonly path: string; readonly message: string }[];
  };
  readonly request_id?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReplyBody;
}

export interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly method?: string;
}

export interface Sender {
  /** Posts a value as JSON; strings and bytes are sent unchanged. */
  (path: string, body: unknown, sending?: Sending): Promise<Reply>;
}

export const popPath = '/popsvc/v1/pop/events';
export const detectionPath = '/popsvc/v1/audience/detections';
export const dynamicPath = '/popsvc/v1/pop/dynamic';
export const heartbeatPath = '/popsvc/v1/heartbeats';
export const intervalPath = '/popsvc/v1/intervals';

export const sender =
  (baseUrl: string, apiKey?: string): Sender =>
  async (path, body, { headers = {}, query = '', method = 'POST' } = {}) => {
    const asIs = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(baseUrl + path + query, {
      method,
      headers: { 'Content-Type': 'application/json', ...(apiKey !== undefined && { 'X-API-Key': apiKey }), ...headers },
      ...(method !== 'GET' && { body: asIs ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text) as ReplyBody };
  };

/** Checks a whole error body, and the paths in its details in order. */
export const expectApiError = (
  { status, body, headers }: Reply,
  due: number,
  code: string,
  paths?: readonly string[],
) => {
  expect({ status, code: body.error?.code }).to.deep.equal({ status: due, code });
  expect(Object.keys(body).sort()).to.deep.equal(['error', 'message', 'request_id', 'status']);
  expect(body.status).to.equal(false);
  expect(body.message).to.be.a('string').that.is.not.empty;
  expect(body.request_id).to.equal(headers.get('x-request-id'));
  if (paths) expect(body.error?.details.map(({ path }) => path)).to.deep.equal(paths);
};

let serial = 0;

/** A valid canonical play with a unique event id. */
export const play = (over: Readonly<Record<string, unknown>> = {}) => ({
  eventId: `play-${(serial += 1)}`,
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: new Date(Date.now() - 60_000).toISOString(),
  durationMs: 10_000,
  ...over,
});

/** A valid detection on device 11 with one watch. */
export const detection = (over: Readonly<Record<string, unknown>> = {}) => ({
  detectionId: `d-${(serial += 1)}`,
  deviceId: 11,
  watcherId: 7,
  startedAt: '2026-08-20T14:03:06Z',
  endedAt: '2026-08-20T14:03:20.400Z',
  watches: [{ startedAt: '2026-08-20T14:03:08Z', endedAt: '2026-08-20T14:03:09.200Z' }],
  ...over,
});

/** A valid heartbeat of device 11. */
export const heartbeat = (over: Readonly<Record<string, unknown>> = {}) => ({
  deviceId: 11,
  at: '2026-08-20T14:03:00Z',
  ...over,
});

/** A valid open interval on device 11. */
export const interval = (over: Readonly<Record<string, unknown>> = {}) => ({
  deviceId: 11,
  appCode: 'player',
  state: 'running',
  startedAt: '2026-08-20T14:00:00Z',
  ...over,
});

/** A copy without `field`. */
export const without = (item: object, field: string) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => name !== field));
