import { analystsPage, datasetsPage, tablesPage } from './read-models.ts';
import { checksPage } from './checks.ts';
import { clickHouseUsersXml } from './clickhouse-users.ts';
import { configurationPage } from './configuration.ts';
import { errorsPage, openApiPages } from './http-api.ts';
import { eventsPage } from './events.ts';
import { metricsPage } from './metrics.ts';
import { postmanCollection, postmanEnvironment } from './postman.ts';
import { registryPage } from './registry.ts';

/** Maps the path of each generated file in the repository to the function that builds its content. */
export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/events.md': eventsPage,
  'docs/reference/datasets.md': datasetsPage,
  'docs/reference/tables.md': tablesPage,
  'docs/reference/analysts.md': analystsPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/checks.md': checksPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/registry.md': registryPage,
  ...openApiPages,
  'docs/reference/postman/popsvc.postman_collection.json': postmanCollection,
  'docs/reference/postman/npm-start.postman_environment.json': postmanEnvironment,
  'deploy/clickhouse/users.xml': clickHouseUsersXml,
};
