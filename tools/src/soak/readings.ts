import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import type { Chance } from '../rig/chance.ts';
import type { AskReports } from './ask-reports.ts';
import type { Seen, Witness } from './witness.ts';
import { deviceOf, networks, type SoakNetwork } from './world.ts';

/** Reads once; resolves with what is wrong with what was read. */
export type Reading = () => Promise<readonly string[]>;

interface Row {
  readonly EVENT_ID: string;
  readonly WATCHERID: number | string | null;
}

interface Page {
  readonly data: { readonly total: number; readonly next_after: string | null; readonly rows: readonly Row[] };
}

const minuteMs = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const asOf = (headers: Headers): number => Date.parse(headers.get('x-data-as-of') ?? '');
const rowsOf = (rows: readonly Row[]) =>
  rows.map(({ EVENT_ID, WATCHERID }) => ({ id: EVENT_ID, watcher: `${WATCHERID ?? ''}` }));

/** What partners do, each looking at what it is told. */
export const readingsOf = (
  ask: AskReports,
  witness: Witness,
  { below, next, one }: Chance,
  beganMs: number,
): Readonly<Record<string, Reading>> => {
  const as = () => one(['key', 'client'] as const);
  /** Minutes that are over, or hours of long ago in which late plays come. */
  const window = (): Pick<Seen, 'network' | 'fromMs' | 'toMs'> => {
    const network = one(networks);
    const minutes = Math.max(1, Math.floor((Date.now() - beganMs) / minuteMs));
    if (next() < 0.2) {
      const fromMs = Math.floor(beganMs / 3_600_000 - 3 - below(38)) * 3_600_000;
      return { network, fromMs, toMs: fromMs + 3_600_000 };
    }
    const fromMs = Math.floor(beganMs / minuteMs + below(minutes)) * minuteMs;
    return { network, fromMs, toMs: fromMs + minuteMs };
  };
  const asked = ({ fromMs, toMs }: Pick<Seen, 'fromMs' | 'toMs'>) => `from=${iso(fromMs)}&to=${iso(toMs)}`;
  const everything = () => `from=${iso(beganMs - 3 * 86_400_000)}&to=${iso(Date.now() + 86_400_000)}`;

  const pages: Reading = async () => {
    const at = window();
    const [who, rows] = [as(), [] as Row[]];
    let asOfMs = Infinity;
    for (let after: string | null = ''; after !== null;) {
      const cursor: string = after && `&after=${encodeURIComponent(after)}`;
      const { text, headers } = await ask(at.network, `/coffee?${asked(at)}&limit=1000${cursor}`, who);
      const { data } = JSON.parse(text) as Page;
      rows.push(...data.rows);
      asOfMs = Math.min(asOfMs, asOf(headers));
      after = data.next_after;
      await sleep(300);
    }
    return witness.judge({ ...at, asOfMs, rows: rowsOf(rows) });
  };
  const download = async (format: 'csv' | 'ndjson') => {
    const at = window();
    const { text, headers } = await ask(at.network, `/coffee/download?${asked(at)}&format=${format}`, as());
    const rows =
      format === 'csv'
        ? parse<Row>(text, { columns: true })
        : text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
    return witness.judge({ ...at, asOfMs: asOf(headers), rows: rowsOf(rows) });
  };
  const totalOf = async (dataset: string, network: SoakNetwork) => {
    const { text } = await ask(network, `/${dataset}?${everything()}&limit=1`, as());
    return witness.count(`total of ${dataset} of ${network.name}`, (JSON.parse(text) as Page).data.total);
  };
  const statuses: Reading = async () => {
    const network = one(networks);
    const { text } = await ask(network, '/devices/status', 'key');
    const { data } = JSON.parse(text) as {
      data: { count: number; rows: { id: number; last_active_timestamp: string | null }[] };
    };
    const strange = data.rows.filter(({ id }) => id < deviceOf(network, 0) || id >= deviceOf(network, network.screens));
    return [
      ...(strange.length > 0 ? [`devices of others: ${strange.map(({ id }) => id).join(', ')}`] : []),
      ...(data.count === network.screens ? [] : [`${data.count} devices of ${network.screens}`]),
      ...data.rows.flatMap(({ id, last_active_timestamp: heard }) =>
        witness.count(`last sign of device ${id}`, heard === null ? 0 : Date.parse(heard)),
      ),
    ];
  };
  const uptime: Reading = async () => {
    const network = one(networks);
    const fromMs = Math.floor(beganMs / 1_000) * 1_000 - 600_000;
    const toMs = Math.floor(Date.now() / 1_000) * 1_000 - 1_000;
    const device = deviceOf(network, below(network.screens));
    const { text } = await ask(network, `/device-apps/${device}/player/uptime?${asked({ fromMs, toMs })}`, 'key');
    const { data } = JSON.parse(text) as { data: { summary: { running_seconds: number; stopped_seconds: number } } };
    const told = data.summary.running_seconds + data.summary.stopped_seconds;
    const asks = (toMs - fromMs) / 1_000;
    return told === asks ? [] : [`device ${device} ran and stood ${told} s of ${asks} s`];
  };
  return {
    pages,
    csv: () => download('csv'),
    ndjson: () => download('ndjson'),
    totals: () => totalOf('coffee', one(networks)),
    watchers: () => totalOf('watcher-summary', one(networks)),
    statuses,
    uptime,
  };
};
