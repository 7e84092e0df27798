import { streamPrefixes } from '@popsvc/contracts/events';
import { coffee } from '@popsvc/read-models/tables';
import { generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { createApiKey } from '@popsvc/platform/auth';
import { allProjections } from '@popsvc/projectors/projections';
import { insertDetections } from '../competitor/insert-detections.ts';
import { insertPlays } from '../competitor/insert-plays.ts';
import { fillMonth, fillRegistry } from '../traffic/fill-log.ts';
import { splitMonth, type Month } from '../traffic/month.ts';
import { network, vendor } from '../traffic/registry.ts';
import { unlimitedRates } from '../traffic/unlimited.ts';
import { type Peer, startPeer } from './peer.ts';
import { openProjecting, projectionNamed } from './projecting.ts';
import { withRecords } from './records.ts';
import type { Testbed } from './rig.ts';
import type { RunningService } from './service.ts';

export interface MonthOnBothSides {
  readonly peer: Peer;
  readonly service: RunningService;
  readonly headers: Peer['headers'];
  readonly writer: ClickHouseWriter;
}

/** Us and the peer, told of the same month in the same order; both have tidied up since. */
export const openMonth = async (rig: Testbed, told: Month): Promise<MonthOnBothSides> => {
  const [peer, projecting] = [await startPeer(rig), await openProjecting(rig)];
  const registered = await fillRegistry(projecting.store);
  for (const projection of allProjections.filter(({ streams }) => streams.includes(streamPrefixes.registry)))
    await projecting.run(projection, 1, registered);
  await projecting.run(projectionNamed('coffee'), 1, await fillMonth(projecting.store, told));
  await projecting.writer.run(`OPTIMIZE TABLE ${generationTable(coffee, 1)} FINAL`, { timeoutMs: 300_000 });

  const sender = { networkId: network, vendor };
  for (const { plays, people } of splitMonth(told, 500)) {
    await insertPlays(peer.pool, sender, plays);
    await insertDetections(peer.pool, sender, people);
  }
  await peer.pool.query('VACUUM (ANALYZE)');

  const key = await withRecords(await rig.postgres(), (postgres) =>
    createApiKey(postgres, { vendor, networkId: network, ...unlimitedRates }),
  );
  return {
    peer,
    service: await rig.service('query-api'),
    headers: { 'x-api-key': key.apiKey },
    writer: projecting.writer,
  };
};
