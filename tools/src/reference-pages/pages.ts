import { alertRulesFile } from './alert-rules.ts';
import { analystsPage } from './analysts-page.ts';
import { checksPage } from './checks-page.ts';
import { clickHouseUsers } from './clickhouse-users.ts';
import { configurationPage } from './configuration-page.ts';
import { datasetsPage } from './datasets-page.ts';
import { errorsPage } from './errors-page.ts';
import { eventsPage } from './events-page.ts';
import { metricsPage } from './metrics-page.ts';
import { openApiPages } from './openapi-pages.ts';
import { tablesPage } from './tables-page.ts';

/** Every generated file, by its path in the project. */
export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/events.md': eventsPage,
  'docs/reference/datasets.md': datasetsPage,
  'docs/reference/tables.md': tablesPage,
  'docs/reference/analysts.md': analystsPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/checks.md': checksPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/metrics.md': metricsPage,
  ...openApiPages,
  'deploy/clickhouse/users.xml': clickHouseUsers,
  'deploy/prometheus/alerts.yml': alertRulesFile,
};
