import { Mapping } from '@popsvc/contracts/mappings';
import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';

const registered = {
  vendor: z.string(),
  network_id: z.int().min(1),
  schema_version: z.string(),
  version: z.int().min(1).describe('Counted by vendor and schema version.'),
};

export const AppliedMapping = z
  .object({ ...registered, changed: z.boolean().describe('False: this very mapping was in force already.') })
  .meta({ id: 'AppliedMapping' });

export const MappingInForce = z
  .object({ ...registered, registered_at: Instant, mapping: Mapping })
  .meta({ id: 'MappingInForce' });

/** For flat objects of the demo vendor. */
export const exampleMapping = {
  vendor: 'demo',
  schema_version: 'player-3',
  fields: {
    screenId: { path: 'screen' },
    campaignId: { path: 'ad.campaign' },
    creativeId: { path: 'ad.file' },
    playedAt: { path: 'start', time: 'unix_s' },
    duration: { path: 'seconds', unit: 's' },
  },
};
