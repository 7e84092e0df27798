export { allDatasets } from './all-datasets.ts';
export { passwordVariables } from './clickhouse-users.ts';
export { describedServers, type DescribedServer } from './described-servers.ts';
export { figures, seriesOf, type Figure } from './figures.ts';
export { pages } from './pages.ts';
export { readers, variablesOf } from './variables.ts';
