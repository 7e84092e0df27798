import type { Scenario } from '../harness/scenario.ts';
import { page } from './page.ts';

export const page100: Scenario = {
  name: 'page-100',
  about: 'a JSON page of 100 rows of coffee from the middle of a network',
  run: (rig, sizes) => page(rig, sizes, 100),
};
