import type { Scenario } from '../harness/scenario.ts';
import { bulk } from './bulk.ts';

export const bulkJson: Scenario = {
  name: 'bulk-json',
  about: 'a bulk file in JSON, read, mapped and brought into the log',
  run: (rig, sizes) => bulk(rig, sizes, 'json'),
};
