import { coffeeProjection } from './projections/coffee/coffee.projection.ts';
import { jobsProjection } from './projections/jobs/jobs.projection.ts';
import { livenessName, livenessStreams } from './projections/liveness/index.ts';
import { registryProjection } from './projections/registry/registry.projection.ts';
import { relayName, relayedStreams } from './projections/relay/index.ts';
import type { Projection } from './run/projection.ts';
import { statusProjection } from './projections/status/status.projection.ts';
import { uptimeProjection } from './projections/uptime/uptime.projection.ts';
import { watcherSummaryProjection } from './projections/watcher-summary/watcher-summary.projection.ts';

/** Every projection; one line each. The registry comes first: the views of the others look names up in its dictionaries. */
export const allProjections: readonly Projection[] = [
  registryProjection,
  coffeeProjection,
  watcherSummaryProjection,
  uptimeProjection,
  statusProjection,
  jobsProjection,
];

/** Loops that follow the log and keep a position in it like projections, but have no tables. */
export const logFollowers = [
  { name: livenessName, reads: livenessStreams },
  { name: relayName, reads: relayedStreams },
];
