import type { ClickHouseWriter } from './writer-port.ts';

/** The time zones that ClickHouse can compute with. */
export const readTimeZones = async (writer: ClickHouseWriter): Promise<ReadonlySet<string>> => {
  const zones = await writer.rows<{ time_zone: string }>('SELECT time_zone FROM system.time_zones');
  return new Set(zones.map(({ time_zone }) => time_zone));
};
