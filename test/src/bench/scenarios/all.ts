import type { Scenario } from '../harness/scenario.ts';
import { ingest1 } from './ingest-1.scenario.ts';
import { ingest100 } from './ingest-100.scenario.ts';

export const allScenarios: readonly Scenario[] = [ingest1, ingest100];
