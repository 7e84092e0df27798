import type { Scenario } from '../harness/scenario.ts';
import { page } from './page.ts';

export const page1000: Scenario = {
  name: 'page-1000',
  about: 'a JSON page of 1,000 rows of coffee from the middle of a network',
  run: (rig, sizes) => page(rig, sizes, 1000),
};
