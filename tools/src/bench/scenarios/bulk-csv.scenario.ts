import type { Scenario } from '../harness/scenario.ts';
import { bulk } from './bulk.ts';

export const bulkCsv: Scenario = {
  name: 'bulk-csv',
  about: 'a bulk file in CSV, read, mapped and brought into the log',
  run: (rig, sizes) => bulk(rig, sizes, 'csv'),
};
