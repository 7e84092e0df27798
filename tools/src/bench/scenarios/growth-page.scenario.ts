import type { Scenario } from '../harness/scenario.ts';
import { growthOfPages } from './growth.ts';

export const growthPage: Scenario = {
  name: 'growth-page',
  about: 'a JSON page of 100 rows with its total, of a month with --rows rows and with ten times as many, merged',
  run: (rig, sizes) => growthOfPages(rig, sizes),
};
