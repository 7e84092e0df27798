import type { Scenario } from '../harness/scenario.ts';
import { projection } from './projection.ts';

export const projectionPlays: Scenario = {
  name: 'projection-plays',
  about: 'plays from the log into coffee, until they are checkpointed',
  run: (rig, sizes) => projection(rig, sizes, false),
};
