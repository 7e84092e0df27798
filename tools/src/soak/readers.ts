import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import type { Random } from '../rig/random.ts';
import type { Access } from './access.ts';
import type { FaultWindow } from './faults.ts';
import type { ReportChecker, ReportWindow } from './report-checker.ts';
import { deviceOf, type SoakNetwork, soakNetworks } from './networks.ts';

/** Thrown if a request fails while a fault window is open, because a process may then be down or still starting. */
class ExpectedFailure extends Error {}

const timeoutMs = 60_000;

interface ReportResponse {
  readonly text: string;
  readonly headers: Headers;
}

/**
 * Requests a report for a network, with either its vendor's API key or an access token of the client that may read both networks.
 */
export type RequestReport = (network: SoakNetwork, path: string, as: 'key' | 'client') => Promise<ReportResponse>;

/** Called with the age in ms of the data in each response, computed from `X-Data-As-Of`. */
type OnAge = (ageMs: number) => void;

/**
 * Creates a function that requests reports. The function throws ExpectedFailure if the service did not respond, or responded with
 * 429 or 503, and the fault window was open at any time during the request. It throws Error for any other failure.
 */
export const createReportRequester = (access: Access, faultWindow: FaultWindow, onAge: OnAge): RequestReport => {
  let token = { text: '', endsMs: 0 };

  const fetchReport = async (url: string, init: RequestInit): Promise<ReportResponse> => {
    const startedMs = Date.now();
    const failure = (reason: string): Error =>
      faultWindow.wasOpenSince(startedMs)
        ? new ExpectedFailure(reason)
        : new Error(`${reason} outside of the fault window`);
    let status: number;
    let report: ReportResponse;
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
      status = response.status;
      report = { text: await response.text(), headers: response.headers };
    } catch (error) {
      const { message, cause } = error as Error;
      throw failure(`${message} ${cause instanceof Error ? cause.message : ''} after ${Date.now() - startedMs} ms`);
    }
    const asOf = report.headers.get('x-data-as-of');
    if (asOf !== null) onAge(startedMs - Date.parse(asOf));
    if (status === 200) return report;
    const message = `returned ${status}: ${report.text.slice(0, 200)}`;
    throw [429, 503].includes(status) ? failure(message) : new Error(message);
  };
  const getToken = async (): Promise<string> => {
    if (token.endsMs - Date.now() > 30_000) return token.text;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: access.client.id,
      client_secret: access.client.secret,
    });
    const { text } = await fetchReport(access.service().credentials.token_url, { method: 'POST', body });
    const issued = JSON.parse(text) as { access_token: string; expires_in: number };
    token = { text: issued.access_token, endsMs: Date.now() + issued.expires_in * 1_000 };
    return token.text;
  };

  return async (network, path, as) => {
    const headers: Record<string, string> =
      as === 'key'
        ? { 'x-api-key': access.keyOf(network) }
        : { authorization: `Bearer ${await getToken()}`, 'x-network-name': network.name };
    return fetchReport(`${access.service().credentials.query_base_url}/api/v1${path}`, { headers });
  };
};

/** Reads a report once and resolves with descriptions of its defects. */
type ReadReport = () => Promise<readonly string[]>;

interface Row {
  readonly EVENT_ID: string;
  readonly WATCHERID: number | string | null;
}

interface Page {
  readonly data: { readonly total: number; readonly next_after: string | null; readonly rows: readonly Row[] };
}

const minuteMs = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const readAsOf = (headers: Headers): number => Date.parse(headers.get('x-data-as-of') ?? '');
const rowsOf = (rows: readonly Row[]) =>
  rows.map(({ EVENT_ID, WATCHERID }) => ({ id: EVENT_ID, watcher: `${WATCHERID ?? ''}` }));

/** Creates the readers; the keys are their names. Each reader reads one kind of report the way a partner would and checks it. */
export const createReaders = (
  requestReport: RequestReport,
  checker: ReportChecker,
  { below, happens, pick }: Random,
  beganMs: number,
): Readonly<Record<string, ReadReport>> => {
  const chooseAccess = () => pick(['key', 'client'] as const);
  /**
   * Chooses a report's time window: in 80 % of cases one minute of the run, otherwise one full hour that began 3 to 41 hours
   * before the run. Late plays from those hours still arrive.
   */
  const chooseWindow = (): ReportWindow => {
    const network = pick(soakNetworks);
    const minutes = Math.max(1, Math.floor((Date.now() - beganMs) / minuteMs));
    if (happens(0.2)) {
      const fromMs = Math.floor(beganMs / 3_600_000 - 3 - below(38)) * 3_600_000;
      return { network, fromMs, toMs: fromMs + 3_600_000 };
    }
    const fromMs = Math.floor(beganMs / minuteMs + below(minutes)) * minuteMs;
    return { network, fromMs, toMs: fromMs + minuteMs };
  };
  const windowQuery = ({ fromMs, toMs }: Omit<ReportWindow, 'network'>) => `from=${iso(fromMs)}&to=${iso(toMs)}`;
  const wholeRunQuery = () => `from=${iso(beganMs - 3 * 86_400_000)}&to=${iso(Date.now() + 86_400_000)}`;

  const pages: ReadReport = async () => {
    const window = chooseWindow();
    const check = checker.beginReport(window);
    const [access, rows] = [chooseAccess(), [] as Row[]];
    let asOfMs = Infinity;
    for (let after: string | null = ''; after !== null;) {
      const cursor: string = after && `&after=${encodeURIComponent(after)}`;
      const { text, headers } = await requestReport(
        window.network,
        `/coffee?${windowQuery(window)}&limit=1000${cursor}`,
        access,
      );
      const { data } = JSON.parse(text) as Page;
      rows.push(...data.rows);
      asOfMs = Math.min(asOfMs, readAsOf(headers));
      after = data.next_after;
      await sleep(300);
    }
    return check({ asOfMs, rows: rowsOf(rows) });
  };
  const download = async (format: 'csv' | 'ndjson') => {
    const window = chooseWindow();
    const check = checker.beginReport(window);
    const { text, headers } = await requestReport(
      window.network,
      `/coffee/download?${windowQuery(window)}&format=${format}`,
      chooseAccess(),
    );
    const rows =
      format === 'csv'
        ? parse<Row>(text, { columns: true })
        : text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
    return check({ asOfMs: readAsOf(headers), rows: rowsOf(rows) });
  };
  const totalOf = async (dataset: string, network: SoakNetwork) => {
    const { text } = await requestReport(network, `/${dataset}?${wholeRunQuery()}&limit=1`, chooseAccess());
    return checker.checkNotDecreasing(`total of ${dataset} of ${network.name}`, (JSON.parse(text) as Page).data.total);
  };
  const statuses: ReadReport = async () => {
    const network = pick(soakNetworks);
    const { text } = await requestReport(network, '/devices/status', 'key');
    const { data } = JSON.parse(text) as {
      data: { count: number; rows: { id: number; last_active_timestamp: string | null }[] };
    };
    const foreign = data.rows.filter(({ id }) => id < deviceOf(network, 0) || id >= deviceOf(network, network.screens));
    return [
      ...(foreign.length > 0 ? [`devices of other networks: ${foreign.map(({ id }) => id).join(', ')}`] : []),
      ...(data.count === network.screens ? [] : [`${data.count} devices of ${network.screens}`]),
      ...data.rows.flatMap(({ id, last_active_timestamp: lastActive }) =>
        checker.checkNotDecreasing(`last activity of device ${id}`, lastActive === null ? 0 : Date.parse(lastActive)),
      ),
    ];
  };
  const uptime: ReadReport = async () => {
    const network = pick(soakNetworks);
    const fromMs = Math.floor(beganMs / 1_000) * 1_000 - 600_000;
    const toMs = Math.floor(Date.now() / 1_000) * 1_000 - 1_000;
    const device = deviceOf(network, below(network.screens));
    const { text } = await requestReport(
      network,
      `/device-apps/${device}/player/uptime?${windowQuery({ fromMs, toMs })}`,
      'key',
    );
    const { data } = JSON.parse(text) as { data: { summary: { running_seconds: number; stopped_seconds: number } } };
    const covered = data.summary.running_seconds + data.summary.stopped_seconds;
    const requested = (toMs - fromMs) / 1_000;
    return covered === requested ? [] : [`device ${device} was running or stopped for ${covered} s of ${requested} s`];
  };
  return {
    pages,
    csv: () => download('csv'),
    ndjson: () => download('ndjson'),
    totals: () => totalOf('coffee', pick(soakNetworks)),
    watchers: () => totalOf('watcher-summary', pick(soakNetworks)),
    statuses,
    uptime,
  };
};

interface Readers {
  /** Number of completed reads and expected failures for each reader. */
  readonly reads: Readonly<Record<string, { readonly done: number; readonly expectedFailures: number }>>;
  stop(): Promise<void>;
}

/** Starts all readers. Each one reads repeatedly, with a pause in between. */
export const startReaders = (
  readers: Readonly<Record<string, ReadReport>>,
  pauseMs: number,
  addFailure: (text: string) => void,
): Readers => {
  const reads: Record<string, { done: number; expectedFailures: number }> = {};
  const end = new AbortController();
  const readRepeatedly = async (name: string, read: ReadReport) => {
    const count = (reads[name] = { done: 0, expectedFailures: 0 });
    while (!end.signal.aborted) {
      try {
        for (const defect of await read()) addFailure(`${name}: ${defect}`);
        count.done += 1;
      } catch (error) {
        if (error instanceof ExpectedFailure) count.expectedFailures += 1;
        else addFailure(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      await sleep(pauseMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
  };
  const running = Object.entries(readers).map(([name, read]) => readRepeatedly(name, read));
  return {
    reads,
    async stop() {
      end.abort();
      await Promise.all(running);
    },
  };
};
