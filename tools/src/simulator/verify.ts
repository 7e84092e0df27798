import { createClient, windows } from '@popsvc/client';
import { type ServiceConnection, waitUntilProjected, withTemporaryClient } from '@popsvc/cli/service-client';
import { type ReportCounts, rowChecker } from './check-rows.ts';
import { coffeeLines } from './coffee-lines.ts';
import type { TrafficWish } from './deliveries.ts';
import type { Sent } from './sent.ts';
import type { World } from './world.ts';

export interface NetworkReport extends ReportCounts {
  readonly network_id: number;
  readonly ok: boolean;
}

/** Waits until everything is projected, then reads coffee as a partner does and holds it against what was sent. */
export const verify = async (
  { networks }: World,
  wish: TrafficWish,
  sent: ReadonlyMap<number, Sent>,
  { ops, service }: ServiceConnection,
  onLag: (events: number) => void,
): Promise<readonly NetworkReport[]> => {
  await waitUntilProjected(ops, ['registry', 'coffee', 'watcher-summary', 'uptime'], onLag);
  const ids = networks.map(({ id }) => id);
  return withTemporaryClient(ops, ids, 'simulation', async (credentials) => {
    const client = createClient({ baseUrl: service.queryUrl, tokenUrl: service.tokenUrl, ...credentials });
    const reports: NetworkReport[] = [];
    for (const { id, name } of networks) {
      const { check, told } = rowChecker(sent.get(id) ?? { plays: new Set(), beats: new Map() }, wish.tag);
      for (const window of windows(new Date(wish.fromMs), new Date(wish.toMs)))
        await check(coffeeLines(client, { network: name, ...window }));
      const counts = told();
      const { missing, strange, bad_flags, unheard } = counts;
      const ok = missing + strange + bad_flags + unheard === 0;
      reports.push({ network_id: id, ...counts, ok });
    }
    return reports;
  });
};
