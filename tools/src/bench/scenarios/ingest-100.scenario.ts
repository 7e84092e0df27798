import type { Scenario } from '../harness/scenario.ts';
import { ingest } from './ingest.ts';

export const ingest100: Scenario = {
  name: 'ingest-100',
  about: 'POST of a hundred plays, sixteen connections, until they are durable',
  run: (rig, sizes) => ingest(rig, sizes, 100),
};
