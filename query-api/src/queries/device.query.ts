import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';
import { devicesPlaced, named, placeColumns } from './placed.ts';

/** A device and where it is, retired or not: what it did is kept. No row when the networks have none of this id. */
export const deviceQuery = (networks: readonly number[], id: number, registry?: number): Sql => sql`
SELECT d.network_id AS network_id, ${named(sql`d.device_id`, sql`d.name`)} AS device, ${placeColumns}
FROM ${devicesPlaced({ networks, registry }, [sql`device_id = ${bind('UInt64', id)}`])}`;
