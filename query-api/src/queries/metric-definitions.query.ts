import { registryTables } from '@popsvc/read-models/tables';
import { type Sql, sql } from '@popsvc/platform/clickhouse';
import { ofNetwork } from './of-network.ts';

/** The versions of a network's thresholds, the earliest first; `effective_from` in ms. */
export const metricDefinitionsQuery = (network: number): Sql => sql`
SELECT definition, toUnixTimestamp64Milli(effective_from) AS effective_from_ms, thresholds
FROM ${ofNetwork(registryTables.metric_definitions, network)}
ORDER BY definition`;
