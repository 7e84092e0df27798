import type { BuiltInTokenProvider } from '@popsvc/platform/auth/tokens';
import type { Route } from '@popsvc/platform/http';
import type { Postgres } from '@popsvc/platform/postgres';
import { reports } from '../reports/index.ts';
import { watched } from '../status/index.ts';
import { appUptimeRoute } from './app-uptime.route.ts';
import { type DownloadParts, downloadRoute } from './download.route.ts';
import { eventFeedbackRoute } from './event-feedback.route.ts';
import { jwksRoute } from './jwks.route.ts';
import { metricDefinitionsRoute } from './metric-definitions.route.ts';
import { type CountedParts, pageRoute } from './page.route.ts';
import { statusListRoute, type StatusParts } from './status-list.route.ts';
import { statusOfOneRoute } from './status-of-one.route.ts';
import { tokenRoute } from './token.route.ts';

export interface RouteParts extends DownloadParts, CountedParts, StatusParts {
  readonly postgres: Postgres;
  /** Undefined: tokens are given out by somebody else. */
  readonly tokens: BuiltInTokenProvider | undefined;
}

/** Every endpoint; one line each. */
export const routes = ({ postgres, tokens, ...parts }: RouteParts): readonly Route[] => [
  ...reports.map((report) => pageRoute(report, parts)),
  ...reports.map((report) => downloadRoute(report, parts)),
  metricDefinitionsRoute(parts),
  ...watched.map((each) => statusListRoute(each, parts)),
  ...watched.map((each) => statusOfOneRoute(each, parts)),
  appUptimeRoute(parts),
  eventFeedbackRoute(parts),
  ...(tokens ? [tokenRoute({ postgres, tokens }), jwksRoute({ tokens })] : []),
];
