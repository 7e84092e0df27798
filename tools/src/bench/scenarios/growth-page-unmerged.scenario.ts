import type { Scenario } from '../harness/scenario.ts';
import { growthOfPages } from './growth.ts';

export const growthPageUnmerged: Scenario = {
  name: 'growth-page-unmerged',
  about: 'the same, in 15 parts that all reach over the month',
  run: (rig, sizes) => growthOfPages(rig, sizes, 15),
};
