import { defineView, type ViewField } from '@popsvc/platform/clickhouse';
import { intervals } from './intervals.table.ts';

type Name = keyof typeof intervals.fields;

/**
 * The greatest stands (decisions 4.7): closed beats open; among open ones the later last heartbeat, one without the least;
 * then, and among closed ones at once, the higher revision, then the later in the log.
 */
const rank = `(r.ended_at IS NOT NULL,
  if(r.ended_at IS NULL, ifNull(toUnixTimestamp64Milli(r.last_heartbeat_at), -1), 0), r.revision, r.pos)`;

const key = (name: Name): ViewField => ({ ...intervals.fields[name], sql: `r.${name}` });
/** In a tuple, since argMax passes over rows whose value is null. */
const told = (name: Name): ViewField => ({
  ...intervals.fields[name],
  sql: `tupleElement(argMax(tuple(r.${name}), ${rank}), 1)`,
});

/** Of every interval the telling that stands; the domain's supersedeInterval is its specification. */
export const currentIntervals = defineView({
  name: 'standing_intervals',
  about:
    'How long apps on devices were in one state: of each (network, device, app, started_at) the telling that stands.',
  over: intervals,
  groupBy: ['network_id', 'device_id', 'app', 'started_at'],
  fields: {
    network_id: key('network_id'),
    device_id: key('device_id'),
    app: key('app'),
    started_at: key('started_at'),
    vendor: told('vendor'),
    state: told('state'),
    ended_at: told('ended_at'),
    last_heartbeat_at: told('last_heartbeat_at'),
    revision: told('revision'),
    pos: told('pos'),
    received_at: told('received_at'),
    recorded_at: told('recorded_at'),
  },
});
