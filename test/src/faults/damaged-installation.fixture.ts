import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestPartner, type DemoCredentials, startService, temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { parse } from 'csv-parse/sync';
import { copyFolder } from './engine-processes.fixture.ts';

const startMs = Date.parse('2026-09-01T08:00:00Z');
const instant = (second: number) => new Date(startMs + second * 1_000).toISOString();
const playCount = 300;
const window = 'from=2026-09-01T00:00:00Z&to=2026-09-02T00:00:00Z';

const plays = Array.from({ length: playCount }, (_, index) => ({
  eventId: `p-${index}`,
  screenId: index % 3 === 0 ? 'demo-screen-2' : 'demo-screen-1',
  campaignId: 'DEMO-1',
  creativeId: 'DEMO-CR-1',
  playedAt: instant(index * 10),
  durationMs: 10_000,
}));
export const detections = Array.from({ length: playCount }, (_, index) => ({
  detectionId: `d-${index}`,
  deviceId: 31,
  feederId: 41,
  watcherId: index,
  startedAt: instant(index * 10 + 1),
  endedAt: instant(index * 10 + 8),
  watches: [{ startedAt: instant(index * 10 + 2), endedAt: instant(index * 10 + 5) }],
}));
const heartbeats = Array.from({ length: 50 }, (_, index) => ({
  deviceId: 31,
  appCode: 'player',
  state: 'running',
  at: instant(index * 60),
}));

/** An installation that was stopped in an orderly way, with the reports it gave. */
export interface Installation {
  readonly dataDir: string;
  readonly credentials: DemoCredentials;
  readonly reports: Reports;
}

/** The response to each report. Columns that state when the report was computed are left out. */
export type Reports = Readonly<Record<string, { readonly status: number; readonly text: string }>>;

const withoutComputationTime = (csv: string): string =>
  JSON.stringify(
    parse<Record<string, string>>(csv, { columns: true, record_delimiter: '\r\n' }).map((row) =>
      Object.entries(row).filter(([column]) => column !== 'SILVER_STAGE_TIMESTAMP'),
    ),
  );

const paths: Readonly<Record<string, string>> = {
  coffee: `/coffee/download?${window}`,
  watchers: `/watcher-summary/download?${window}`,
  devices: '/devices/status',
  feeders: '/feeders/status',
  uptime: '/device-apps/31/player/uptime?from=2026-09-01T08:00:00Z&to=2026-09-01T09:00:00Z',
};

/** Reads all reports and the balance. A request without a response has status 0, and its error as text. */
export const readReports = async (credentials: DemoCredentials): Promise<Reports> => {
  const { read } = createTestPartner(credentials);
  const operator = { authorization: `Bearer ${credentials.operator_token}` };
  const requests: Readonly<Record<string, () => Promise<Response>>> = {
    ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => read(path)])),
    balance: () =>
      fetch(`${credentials.ops_base_url}/ops/v1/balance?since=2026-01-01T00:00:00Z`, { headers: operator }),
    registry: () => fetch(`${credentials.ops_base_url}/ops/v1/registry`, { headers: operator }),
  };
  const reports: Record<string, { readonly status: number; readonly text: string }> = {};
  for (const [name, request] of Object.entries(requests))
    reports[name] = await request()
      .then(async (response) => {
        const text = await response.text();
        const isFile = response.ok && paths[name]?.includes('/download') === true;
        return { status: response.status, text: isFile ? withoutComputationTime(text) : text };
      })
      .catch((error: unknown) => ({ status: 0, text: String(error) }));
  return reports;
};

/** Waits until all projections have processed all events. */
export const waitUntilProjected = async (credentials: DemoCredentials): Promise<void> => {
  await waitUntil(
    () => readLags(credentials),
    (lags) => lags.length > 0 && lags.every((events) => events === 0),
    300_000,
  );
};

/** Reads how many events each projection has yet to process. */
const readLags = async ({ ops_base_url: url, operator_token: token }: DemoCredentials) => {
  const response = await fetch(`${url}/ops/v1/projections`, { headers: { authorization: `Bearer ${token}` } });
  const projections = (await response.json()) as readonly { lag_events: number | null }[];
  return projections.map(({ lag_events: events }) => events);
};

const countRows = ({ coffee }: Reports): number => coffee!.text.split('"EVENT_ID"').length - 1;

/** Pushes events of every kind and waits for the reports, which it returns. */
export const fillReports = async (credentials: DemoCredentials): Promise<Reports> => {
  const { push } = createTestPartner(credentials);
  for (const [path, body] of [
    ['/pop/events', { events: plays.slice(0, playCount / 2) }],
    ['/audience/detections', { detections }],
    ['/pop/events', { events: plays.slice(playCount / 2) }],
    ['/heartbeats', { heartbeats }],
    [
      '/intervals',
      {
        intervals: [
          { deviceId: 31, appCode: 'player', state: 'running', startedAt: instant(0), endedAt: instant(1_800) },
        ],
      },
    ],
  ] as const) {
    const response = await push(path, body);
    if (response.status !== 202) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
  }
  await waitUntilProjected(credentials);
  const reports = await readReports(credentials);
  for (const [name, { status, text }] of Object.entries(reports))
    if (status !== 200) throw new Error(`${name} responded with ${status}: ${text}`);
  if (countRows(reports) < playCount) throw new Error(`coffee has ${countRows(reports)} rows of ${playCount} plays`);
  return reports;
};

/** Starts a service, pushes events of every kind, stops it and keeps its folder and reports. */
export const prepareInstallation = async (): Promise<Installation> => {
  const service = await startService();
  const { credentials } = service;
  const reports = await fillReports(credentials);
  await service.stop();
  return { dataDir: service.dataDir, credentials, reports };
};

/** Copies an installation's folder. */
export const copyInstallation = async ({ dataDir }: Installation): Promise<string> => {
  const copy = await temporaryFolder('damaged');
  await copyFolder(dataDir, copy);
  return copy;
};

/** Kills every process that has this folder as its DATA_DIR or in its arguments, such as the engines of a start that failed. */
export const killProcessesOf = async (dataDir: string): Promise<void> => {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const uses = ['environ', 'cmdline'].some((file) =>
        readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(dataDir),
      );
      if (uses && Number(pid) !== process.pid) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The process has ended.
    }
  await sleep(50);
};
