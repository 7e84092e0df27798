import { emptyRegistry, foldRegistry, planRegistry, type Registry } from '@popsvc/domain/registry';
import { RegistryFile } from '@popsvc/contracts/registry';
import { classifyHeartbeat } from '@popsvc/domain/status';
import { instantOf } from '@popsvc/contracts/time';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';

export interface Heartbeat {
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
  /** When each of its rows was recorded; the first row is the play itself. */
  readonly recordedMs: readonly number[];
  /** Whether its rows were deleted later. */
  readonly isDeleted: boolean;
}

export interface Outage {
  readonly device: number;
  readonly from: number;
  readonly to: number | null;
}

export interface Facts {
  readonly network: number;
  readonly heartbeats: readonly Heartbeat[];
  readonly plays: readonly Play[];
  readonly outages: readonly Outage[];
}

const at = (ms: number) => `'${new Date(ms).toISOString().replace('T', ' ').replace('Z', '')}'`;

/** Rows of each table as the projections would write them. */
const rowsOf = ({ network, heartbeats, plays, outages }: Facts) => ({
  heartbeats: heartbeats.map(
    (heartbeat, pos) =>
      `(${network}, ${heartbeat.device}, 0, '${heartbeat.app ? 'player' : ''}', ${at(heartbeat.at)}, ${pos}, ${at(heartbeat.receivedMs)})`,
  ),
  late: heartbeats.flatMap(({ device, at: atMs, receivedMs }) => {
    const heartbeat = { deviceId: device, at: instantOf(atMs) };
    const { backfilledMs } = classifyHeartbeat(heartbeat, { receivedMs, recordedMs: receivedMs });
    return backfilledMs === undefined
      ? []
      : [`(${network}, 'device', ${device}, ${at(backfilledMs)}, ${at(receivedMs)})`];
  }),
  plays: plays.flatMap((play, index) =>
    play.recordedMs.flatMap((recordedMs, number) => {
      const row = (version: number, isDeleted: 0 | 1) =>
        `(${network}, ${at(play.at)}, ${index * 10 + number}, 'acme', 'e${index}', '${play.screen}', ${play.device}, ` +
        `${play.durationMs}, ${at(recordedMs)}, ${version}, ${isDeleted})`;
      return play.isDeleted ? [row(1, 0), row(2, 1)] : [row(1, 0)];
    }),
  ),
  spans: plays.flatMap((play, index) =>
    // Rows of former releases lack the time of the receipt.
    (index % 4 === 0 ? [0] : play.recordedMs).map(
      (recordedMs) =>
        `(${network}, '${play.screen}', ${Math.floor(play.at / 300_000)}, 'acme', 'e${index}', ${at(play.at)}, ` +
        `${at(play.at + play.durationMs)}, ${at(recordedMs)})`,
    ),
  ),
  outages: outages.map(
    ({ device, from, to }, pos) =>
      `(${network}, 'device', ${device}, ${at(from)}, ${to === null ? 'NULL' : at(to)}, ${pos})`,
  ),
});

const columns = {
  heartbeats: ['heartbeats', 'network_id, device_id, feeder_id, app, at, pos, received_at'],
  late: ['backfilled_heartbeats', 'network_id, kind, id, at, received_at'],
  plays: [
    'coffee',
    'network_id, ts, number, vendor, event_id, screen_id, device_id, duration_ms, recorded_at, version, is_deleted',
  ],
  spans: ['play_spans', 'network_id, screen_id, span, vendor, event_id, played_at, ended_at, recorded_at'],
  outages: ['outages', 'network_id, kind, id, offline_at, online_at, pos'],
} as const;

export const writeFacts = async (writer: ClickHouseWriter, facts: readonly Facts[]): Promise<void> => {
  const all = facts.map(rowsOf);
  for (const [name, [table, fields]] of Object.entries(columns)) {
    const rows = all.flatMap((of) => of[name as keyof typeof columns]);
    if (rows.length > 0) await writer.run(`INSERT INTO ${table}_g1 (${fields}) VALUES ${rows.join(', ')}`);
  }
};

/** The registry after these files were applied, each at its time. */
export const registryOf = (files: readonly (readonly [atMs: number, file: unknown])[]): Registry => {
  const registry = emptyRegistry();
  let position = 0n;
  for (const [atMs, file] of files)
    for (const { type, data } of planRegistry(registry, RegistryFile.parse(file), { nowMs: atMs, restate: true })
      .changes)
      foldRegistry(registry, { type, data, atMs, position: ++position });
  return registry;
};
