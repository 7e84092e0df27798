import { streamPrefixes } from '@popsvc/contracts/events';
import { createApiKey } from '@popsvc/platform/auth';
import { allProjections } from '@popsvc/projectors/projections';
import { fillCoffee, type Filling } from '../traffic/fill-coffee.ts';
import { fillRegistry } from '../traffic/fill-log.ts';
import { network as standardNetwork, vendor } from '../traffic/registry.ts';
import { unlimitedRates } from '../traffic/unlimited.ts';
import { openProjecting } from './projecting.ts';
import { withRecords } from './records.ts';
import type { Testbed } from './rig.ts';
import type { RunningService } from './service.ts';

type Headers = Readonly<Record<'x-api-key', string>>;

export interface Reporting {
  readonly service: RunningService;
  /** Of the network the rows belong to. */
  readonly headers: Headers;
  readonly headersOf: (network: number) => Promise<Headers>;
}

/** The reporting service over networks with so many rows of coffee. */
export const openReporting = async (rig: Testbed, ...fillings: readonly Filling[]): Promise<Reporting> => {
  const projecting = await openProjecting(rig);
  const registered = await fillRegistry(projecting.store);
  // The others would wait for an event that they do not read.
  for (const projection of allProjections.filter(({ streams }) => streams.includes(streamPrefixes.registry)))
    await projecting.run(projection, 1, registered);
  for (const filling of fillings) await fillCoffee(projecting.writer, filling);
  const headersOf = async (networkId: number) => {
    const key = await withRecords(await rig.postgres(), (postgres) =>
      createApiKey(postgres, { vendor, networkId, ...unlimitedRates }),
    );
    return { 'x-api-key': key.apiKey };
  };
  return { service: await rig.service('query-api'), headers: await headersOf(standardNetwork), headersOf };
};
