import type { Scenario } from '../harness/scenario.ts';
import { ingest } from './ingest.ts';

export const ingest1: Scenario = {
  name: 'ingest-1',
  about: 'POST of one play, sixteen connections, until it is durable',
  run: (rig, sizes) => ingest(rig, sizes, 1),
};
