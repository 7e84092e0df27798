export { passwordVariables } from './clickhouse-users.ts';
export { describedServers, type DescribedServer } from './http-api.ts';
export { processMetrics, listSeriesNames, type MetricDescription } from './metrics.ts';
export { pages } from './pages.ts';
export { configuredProcesses, describeVariables } from './configuration.ts';
