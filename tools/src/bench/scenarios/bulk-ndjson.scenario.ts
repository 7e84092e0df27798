import type { Scenario } from '../harness/scenario.ts';
import { bulk } from './bulk.ts';

export const bulkNdjson: Scenario = {
  name: 'bulk-ndjson',
  about: 'a bulk file in NDJSON, read, mapped and brought into the log',
  run: (rig, sizes) => bulk(rig, sizes, 'ndjson'),
};
