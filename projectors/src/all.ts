import { coffeeProjection } from './coffee/coffee.projection.ts';
import { jobsProjection } from './jobs/jobs.projection.ts';
import { registryProjection } from './registry/registry.projection.ts';
import type { Projection } from './run/projection.ts';
import { statusProjection } from './status/status.projection.ts';
import { uptimeProjection } from './uptime/uptime.projection.ts';
import { watcherSummaryProjection } from './watchers/watcher-summary.projection.ts';

/** Every projection; one line each. The registry comes first: the views of the others look names up in its dictionaries. */
export const allProjections: readonly Projection[] = [
  registryProjection,
  coffeeProjection,
  watcherSummaryProjection,
  uptimeProjection,
  statusProjection,
  jobsProjection,
];
