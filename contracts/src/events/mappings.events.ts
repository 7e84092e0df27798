import { z } from 'zod';
import { StoredMapping } from '../mappings/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

export const MappingRegistered = defineEvent('MappingRegistered', {
  about:
    "Defines how a vendor's own schema is converted to plays from this position on; quarantined events are retried.",
  schema: z.object({
    network: z.int(),
    version: z.int().min(1).describe('Sequence number of the mapping for this vendor and schema version.'),
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
  about: "An operator requested a retry of quarantined events of a vendor's schema, for example after an upgrade.",
  schema: z.object({ network: z.int(), vendor: z.string(), schemaVersion: z.string() }),
  example: { network: 1, vendor: 'acme', schemaVersion: 'flat-1' },
});
export type QuarantineRetried = DataOf<typeof QuarantineRetried>;
