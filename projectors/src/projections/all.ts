import { coffeeProjection } from './coffee/coffee.projection.ts';
import { jobsProjection } from './jobs/jobs.projection.ts';
import { noticedStreams, noticesName } from '../notices/notice-monitor.ts';
import { webhooksName, webhookStreams } from '../webhooks/webhooks.ts';
import { livenessName, livenessStreams } from './liveness/monitor.ts';
import { registryProjection } from './registry/registry.projection.ts';
import { relayName, relayedStreams } from './relay/relay.ts';
import type { Projection } from '../engine/projection.ts';
import { statusProjection } from './status/status.projection.ts';
import { uptimeProjection } from './uptime/uptime.projection.ts';
import { watcherSummaryProjection } from './watcher-summary/watcher-summary.projection.ts';

/** The registry is first, because the views of the other projections look up names in its dictionaries. */
export const allProjections: readonly Projection[] = [
  registryProjection,
  coffeeProjection,
  watcherSummaryProjection,
  uptimeProjection,
  statusProjection,
  jobsProjection,
];

export const logFollowers = [
  { name: livenessName, streams: livenessStreams },
  { name: relayName, streams: relayedStreams },
  { name: noticesName, streams: noticedStreams },
  { name: webhooksName, streams: webhookStreams },
];
