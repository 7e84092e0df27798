import { z } from 'zod';
import { StoredMapping } from '../mappings/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

export const MappingRegistered = defineEvent('MappingRegistered', {
  about: "How a vendor's own schema becomes plays, from here on in the log; events that wait for it are projected.",
  schema: z.object({
    network: z.int(),
    version: z.int().min(1).describe('Counts the mappings of this vendor and schema version.'),
    mapping: StoredMapping,
  }),
  example: {
    network: 1,
    version: 1,
    mapping: {
      vendor: 'acme',
      schema_version: 'flat-1',
      fields: {
        screenId: { path: 'screen' },
        campaignId: { path: 'campaign' },
        creativeId: { path: 'asset' },
        playedAt: { path: 'start', time: 'iso' },
        duration: { path: 'duration', unit: 's' },
      },
    },
  },
});
export type MappingRegistered = DataOf<typeof MappingRegistered>;

export const QuarantineRetried = defineEvent('QuarantineRetried', {
  about:
    "An operator had events that wait for a mapping of a vendor's own schema tried again, such as after a build that maps more.",
  schema: z.object({ network: z.int(), vendor: z.string(), schemaVersion: z.string() }),
  example: { network: 1, vendor: 'acme', schemaVersion: 'flat-1' },
});
export type QuarantineRetried = DataOf<typeof QuarantineRetried>;
