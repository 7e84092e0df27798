import { Instant, instantOf } from '@popsvc/contracts/time';
import { currentEntities, type Registry } from '@popsvc/domain/registry';
import { jsonResponse, noParameters, type Route } from '@popsvc/http-kit/server';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { includesNetwork } from '@popsvc/read-models/tables';
import { z } from 'zod';
import { type PendingRow, pendingQuery } from '../events/balance.ts';
import { asOfQuery } from '../fleet/fleet-queries.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import {
  type NetworkDevicesRow,
  networkDevicesQuery,
  type NetworkPlaysRow,
  networkPlaysQuery,
  type NetworkQuarantineRow,
  networkQuarantineQuery,
} from './queries.ts';

const count = z.int().min(0);

const NetworkSummariesResponse = z.object({
  networks: z
    .array(
      z
        .object({
          id: z.int().min(1).describe('Id in the registry: the value of `network` parameters.'),
          name: z.string().describe('Current name in the registry.'),
          timezone: z.string().describe('IANA time zone, for plays whose site is unknown.'),
          retired: z.boolean().describe('Whether the network is retired; its history is kept.'),
          sites: count.describe('Without retired ones.'),
          devices: count.describe('Without retired ones.'),
          online: count.describe('Devices with a heartbeat in the last 300 s.'),
          plays: count.describe('Plays received in this hour and the 23 before it: `stored` of the balance.'),
          quarantined: count.describe('Events that wait in quarantine.'),
          last_heartbeat_at: Instant.nullable().describe('When the last heartbeat of a device was received.'),
          last_plays_hour: Instant.nullable().describe(
            'Start of the newest hour in which plays were received; null if none were in these 24 hours.',
          ),
          data_as_of: Instant.nullable().describe(
            'Everything received up to then is counted and in reports; null if nothing is.',
          ),
        })
        .meta({ id: 'NetworkSummary' }),
    )
    .describe('Sorted by name; retired networks are last.'),
});

const hourMs = 3_600_000;
const countedHours = 24;

const readCounts = async (reader: ClickHouseReader, nowMs: number, signal: AbortSignal) => {
  const fromMs = Math.floor(nowMs / hourMs) * hourMs - (countedHours - 1) * hourMs;
  // Reads the progress first, so that the later queries see at least all events up to that time.
  const [progress] = await reader.rows<{ readonly as_of_ms: number }>(asOfQuery, { signal });
  const [devices, plays, quarantined, pending] = await Promise.all([
    reader.rows<NetworkDevicesRow>(networkDevicesQuery(nowMs), { signal }),
    reader.rows<NetworkPlaysRow>(networkPlaysQuery(fromMs), { signal }),
    reader.rows<NetworkQuarantineRow>(networkQuarantineQuery, { signal }),
    reader.rows<PendingRow>(pendingQuery, { signal }),
  ]);
  return { asOfMs: progress?.as_of_ms ?? 0, devices, plays, quarantined, pending };
};

const countSites = (registry: Registry): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>();
  for (const { network, retired } of currentEntities(registry, 'sites'))
    if (retired !== true) counts.set(network, (counts.get(network) ?? 0) + 1);
  return counts;
};

const instantOrNull = (ms: number | null | undefined) => (ms ? instantOf(ms) : null);

export const networkSummariesRoute = (
  { reader }: { readonly reader: ClickHouseReader },
  registryLog: RegistryLog,
): Route => ({
  method: 'get',
  path: '/ops/v1/networks/summary',
  summary: 'All networks, also retired ones, with their devices, plays of the last 24 h and quarantined events.',
  operationId: 'summarizeNetworks',
  access: 'viewer',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: NetworkSummariesResponse } },
  async handle({ signal }) {
    const [{ registry }, counts] = await Promise.all([
      registryLog.readCurrent(),
      readCounts(reader, Date.now(), signal),
    ]);
    const sites = countSites(registry);
    const networks = currentEntities(registry, 'networks').map(({ id, name, timezone, retired = false }) => {
      const ofNetwork = ({ network_id }: { readonly network_id: number }) => network_id === id;
      const devices = counts.devices.find(ofNetwork);
      const plays = counts.plays.find(ofNetwork);
      const pending = counts.pending.filter((each) => includesNetwork(each, id)).map(({ as_of_ms }) => as_of_ms);
      return {
        ...{ id, name, timezone, retired },
        sites: sites.get(id) ?? 0,
        devices: devices?.devices ?? 0,
        online: devices?.online ?? 0,
        plays: plays?.plays ?? 0,
        quarantined: counts.quarantined.find(ofNetwork)?.events ?? 0,
        last_heartbeat_at: instantOrNull(devices?.last_ms),
        last_plays_hour: instantOrNull(plays?.hour_ms),
        data_as_of: instantOrNull(Math.min(counts.asOfMs, ...pending)),
      };
    });
    networks.sort((a, b) => Number(a.retired) - Number(b.retired) || a.name.localeCompare(b.name));
    return jsonResponse(200, { networks });
  },
});
