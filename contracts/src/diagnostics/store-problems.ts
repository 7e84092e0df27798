import { z } from 'zod';
import { failed } from './finding.ts';

const STORES = {
  'event-store': { title: 'the event store', address: 'EVENTSTORE_URL', credentials: 'EVENTSTORE_URL' },
  clickhouse: {
    title: 'ClickHouse',
    address: 'CLICKHOUSE_URL',
    credentials: 'CLICKHOUSE_USER and CLICKHOUSE_PASSWORD',
  },
  postgresql: { title: 'PostgreSQL', address: 'DATABASE_URL', credentials: 'DATABASE_URL' },
} as const;

export type Store = keyof typeof STORES;

export const storeProblems = (store: Store) => {
  const { title, address, credentials } = STORES[store];
  return {
    unreachable: failed(
      `Start ${title}, or fix the connection to it; ${address} holds its address (embedded: wait half a minute, then restart the service).`,
    ),
    credentials: failed(`Check ${credentials} of the projectors: user and password must be those of the server.`),
    'database-missing': failed(`Check the database in ${address}; a restored server may lack it.`),
    timeout: failed(`Check the load and the disk of ${title}: it runs, but is too slow.`),
    'disk-full': failed(
      `Free space on the disk of ${title}. No accepted event is lost, and the service continues by itself.`,
    ),
    error: failed(`See the log of ${title}.`),
  };
};

export const eventLogScrubFile = 'scrub.json';

/** The last background check of each segment of the embedded event store's log. */
export const EventLogScrub = z.object({
  segments: z.array(
    z.object({
      /** Log position where the segment begins. */
      base: z.number(),
      bytes: z.number(),
      /** When the check ended, ms since 1970. */
      checkedMs: z.number(),
      damages: z.array(
        z.object({
          file: z.string(),
          /** Log position of the damage; absent if the whole file is damaged. */
          position: z.number().optional(),
          what: z.string(),
        }),
      ),
    }),
  ),
  /** Number of segments that have never been checked. */
  unchecked: z.number(),
});
export type EventLogScrub = z.output<typeof EventLogScrub>;
