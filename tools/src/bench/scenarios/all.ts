import type { Scenario } from '../harness/scenario.ts';
import { auth } from './auth.scenario.ts';
import { bulkCsv } from './bulk-csv.scenario.ts';
import { bulkJson } from './bulk-json.scenario.ts';
import { bulkNdjson } from './bulk-ndjson.scenario.ts';
import { csv } from './csv.scenario.ts';
import { csvGrowth } from './csv-growth.scenario.ts';
import { freshness } from './freshness.scenario.ts';
import { growthIngest } from './growth-ingest.scenario.ts';
import { growthKeys } from './growth-keys.scenario.ts';
import { growthPage } from './growth-page.scenario.ts';
import { growthPageUnmerged } from './growth-page-unmerged.scenario.ts';
import { growthProjection } from './growth-projection.scenario.ts';
import { ingestAgain } from './ingest-again.scenario.ts';
import { ingestBatches } from './ingest-batches.scenario.ts';
import { ingest1 } from './ingest-1.scenario.ts';
import { ingest100 } from './ingest-100.scenario.ts';
import { overload } from './overload.scenario.ts';
import { page100 } from './page-100.scenario.ts';
import { page1000 } from './page-1000.scenario.ts';
import { pageFinal } from './page-final.scenario.ts';
import { pageNth } from './page-nth.scenario.ts';
import { peerIngest } from './peer-ingest.scenario.ts';
import { peerMonth } from './peer-month.scenario.ts';
import { projectionPeople } from './projection-people.scenario.ts';
import { projectionPlays } from './projection-plays.scenario.ts';
import { rebuild } from './rebuild.scenario.ts';
import { restart } from './restart.scenario.ts';

export const allScenarios: readonly Scenario[] = [
  ingest1,
  ingest100,
  ingestBatches,
  ingestAgain,
  auth,
  overload,
  projectionPlays,
  projectionPeople,
  rebuild,
  page100,
  page1000,
  pageNth,
  pageFinal,
  growthIngest,
  growthKeys,
  growthProjection,
  growthPage,
  growthPageUnmerged,
  csv,
  csvGrowth,
  bulkNdjson,
  bulkJson,
  bulkCsv,
  freshness,
  restart,
  peerIngest,
  peerMonth,
];
