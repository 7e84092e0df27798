import type { Scenario } from '../harness/scenario.ts';
import { projection } from './projection.ts';

export const projectionPeople: Scenario = {
  name: 'projection-people',
  about: 'plays from the log into coffee, with a person at every second play',
  run: (rig, sizes) => projection(rig, sizes, true),
};
