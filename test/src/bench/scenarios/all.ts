import type { Scenario } from '../harness/scenario.ts';
import { bulkCsv } from './bulk-csv.scenario.ts';
import { bulkJson } from './bulk-json.scenario.ts';
import { bulkNdjson } from './bulk-ndjson.scenario.ts';
import { csv } from './csv.scenario.ts';
import { freshness } from './freshness.scenario.ts';
import { growthPage } from './growth-page.scenario.ts';
import { growthPageUnmerged } from './growth-page-unmerged.scenario.ts';
import { ingest1 } from './ingest-1.scenario.ts';
import { ingest100 } from './ingest-100.scenario.ts';
import { page100 } from './page-100.scenario.ts';
import { page1000 } from './page-1000.scenario.ts';
import { projectionPeople } from './projection-people.scenario.ts';
import { projectionPlays } from './projection-plays.scenario.ts';
import { rebuild } from './rebuild.scenario.ts';

export const allScenarios: readonly Scenario[] = [
  ingest1,
  ingest100,
  projectionPlays,
  projectionPeople,
  rebuild,
  page100,
  page1000,
  growthPage,
  growthPageUnmerged,
  csv,
  bulkNdjson,
  bulkJson,
  bulkCsv,
  freshness,
];
