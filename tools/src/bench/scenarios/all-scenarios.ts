import type { Scenario } from './scenario.ts';
import { auth } from './auth.ts';
import { bulkCsv, bulkJson, bulkNdjson } from './bulk.ts';
import { csv, csvGrowth } from './csv.ts';
import { fairnessFiles, fairnessInvalid, fairnessVisibility } from './fairness.ts';
import { freshness } from './freshness.ts';
import { growthChanges } from './growth-changes.ts';
import { growthIngest } from './growth-ingest.ts';
import { growthKeys } from './growth-keys.ts';
import { growthPage, growthPageUnmerged } from './growth-page.ts';
import { growthProjection } from './growth-projection.ts';
import { ingest1, ingest100, ingestAgain, ingestBatches } from './ingest.ts';
import { overload } from './overload.ts';
import { page100, page1000, pageFinal, pageNth } from './page.ts';
import { pageMemory } from './page-memory.ts';
import { competitorIngest } from './competitor-ingest.ts';
import { competitorMonth } from './competitor-month.ts';
import { competitorPages } from './competitor-pages.ts';
import { partitionsScenario } from './partitions.ts';
import { projectionPeople, projectionPlays } from './projection.ts';
import { rebuild } from './rebuild.ts';
import { restart } from './restart.ts';
import { timeZonesScenario } from './time-zones.ts';

export const allScenarios: readonly Scenario[] = [
  ingest1,
  ingest100,
  ingestBatches,
  ingestAgain,
  auth,
  overload,
  projectionPlays,
  projectionPeople,
  partitionsScenario,
  rebuild,
  page100,
  page1000,
  pageNth,
  pageFinal,
  pageMemory,
  growthIngest,
  growthKeys,
  growthProjection,
  growthPage,
  growthPageUnmerged,
  growthChanges,
  timeZonesScenario,
  csv,
  csvGrowth,
  bulkNdjson,
  bulkJson,
  bulkCsv,
  freshness,
  restart,
  fairnessVisibility,
  fairnessInvalid,
  fairnessFiles,
  competitorIngest,
  competitorMonth,
  competitorPages,
];
