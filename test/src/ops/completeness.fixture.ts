import { emptyRegistry, foldRegistry, planRegistry, type Registry } from '@popsvc/domain/registry';
import { RegistryFile } from '@popsvc/contracts/registry';
import { classifyHeartbeat } from '@popsvc/domain/status';
import { instantOf } from '@popsvc/contracts/time';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';

export interface Beat {
  readonly device: number;
  /** ms since 1970 */
  readonly at: number;
  readonly receivedMs: number;
  readonly app: boolean;
}

export interface Play {
  readonly screen: string;
  readonly device: number;
  readonly at: number;
  readonly durationMs: number;
  /** When each of its rows was told; the play itself at the first. */
  readonly recordedMs: readonly number[];
  /** It stood once, and does not any more. */
  readonly isGone: boolean;
}

export interface Outage {
  readonly device: number;
  readonly from: number;
  readonly to: number | null;
}

export interface Facts {
  readonly network: number;
  readonly beats: readonly Beat[];
  readonly plays: readonly Play[];
  readonly outages: readonly Outage[];
}

const at = (ms: number) => `'${new Date(ms).toISOString().replace('T', ' ').replace('Z', '')}'`;

/** Rows of each table as the projections would write them. */
const rowsOf = ({ network, beats, plays, outages }: Facts) => ({
  beats: beats.map(
    (beat, pos) =>
      `(${network}, ${beat.device}, 0, '${beat.app ? 'player' : ''}', ${at(beat.at)}, ${pos}, ${at(beat.receivedMs)})`,
  ),
  late: beats.flatMap(({ device, at: atMs, receivedMs }) => {
    const beat = { deviceId: device, at: instantOf(atMs) };
    const { backfilledMs } = classifyHeartbeat(beat, { receivedMs, recordedMs: receivedMs });
    return backfilledMs === undefined
      ? []
      : [`(${network}, 'device', ${device}, ${at(backfilledMs)}, ${at(receivedMs)})`];
  }),
  plays: plays.flatMap((play, index) =>
    play.recordedMs.flatMap((recordedMs, row) => {
      const told = (version: number, gone: 0 | 1) =>
        `(${network}, ${at(play.at)}, ${index * 10 + row}, 'acme', 'e${index}', '${play.screen}', ${play.device}, ` +
        `${play.durationMs}, ${at(recordedMs)}, ${version}, ${gone})`;
      return play.isGone ? [told(1, 0), told(2, 1)] : [told(1, 0)];
    }),
  ),
  spans: plays.map(
    (play, index) =>
      `(${network}, '${play.screen}', ${Math.floor(play.at / 300_000)}, 'acme', 'e${index}', ${at(play.at)}, ` +
      `${at(play.at + play.durationMs)})`,
  ),
  outages: outages.map(
    ({ device, from, to }, pos) =>
      `(${network}, 'device', ${device}, ${at(from)}, ${to === null ? 'NULL' : at(to)}, ${pos})`,
  ),
});

const columns = {
  beats: ['heartbeats', 'network_id, device_id, feeder_id, app, at, pos, received_at'],
  late: ['backfilled_heartbeats', 'network_id, kind, id, at, received_at'],
  plays: [
    'coffee',
    'network_id, ts, number, vendor, event_id, screen_id, device_id, duration_ms, recorded_at, version, is_deleted',
  ],
  spans: ['play_spans', 'network_id, screen_id, span, vendor, event_id, played_at, ended_at'],
  outages: ['outages', 'network_id, kind, id, offline_at, online_at, pos'],
} as const;

export const writeFacts = async (writer: ClickHouseWriter, facts: readonly Facts[]): Promise<void> => {
  const all = facts.map(rowsOf);
  for (const [name, [table, fields]] of Object.entries(columns)) {
    const rows = all.flatMap((of) => of[name as keyof typeof columns]);
    if (rows.length > 0) await writer.run(`INSERT INTO ${table}_g1 (${fields}) VALUES ${rows.join(', ')}`);
  }
};

/** A registry that was told file by file, each at its time. */
export const registryOf = (files: readonly (readonly [atMs: number, file: unknown])[]): Registry => {
  const registry = emptyRegistry();
  let position = 0n;
  for (const [atMs, file] of files)
    for (const { type, data } of planRegistry(registry, RegistryFile.parse(file), { nowMs: atMs, restate: true })
      .changes)
      foldRegistry(registry, { type, data, atMs, position: ++position });
  return registry;
};
