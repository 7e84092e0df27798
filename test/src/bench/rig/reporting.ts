import { createApiKey } from '@popsvc/platform/auth';
import { allProjections } from '@popsvc/projectors/run';
import { fillCoffee, type Filling } from '../traffic/fill-coffee.ts';
import { fillRegistry } from '../traffic/fill-log.ts';
import { network, vendor } from '../traffic/registry.ts';
import { unlimited } from '../traffic/unlimited.ts';
import { openProjecting } from './projecting.ts';
import { withRecords } from './records.ts';
import type { Rig } from './rig.ts';
import type { RunningService } from './service.ts';

export interface Reporting {
  readonly service: RunningService;
  /** Of the network the rows belong to. */
  readonly headers: { readonly 'x-api-key': string };
}

/** The reporting service over a network with so many rows of coffee. */
export const openReporting = async (rig: Rig, filling: Filling): Promise<Reporting> => {
  const projecting = await openProjecting(rig);
  const registered = await fillRegistry(projecting.store);
  for (const projection of allProjections) await projecting.run(projection, 1, registered);
  await fillCoffee(projecting.writer, filling);
  const key = await withRecords(await rig.records(), (records) =>
    createApiKey(records, { vendor, networkId: network, ...unlimited }),
  );
  return { service: await rig.service('query-api'), headers: { 'x-api-key': key.apiKey } };
};
