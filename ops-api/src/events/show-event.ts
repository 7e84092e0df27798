import { ApiError } from '@popsvc/contracts/errors';
import { instantOf } from '@popsvc/contracts/time';
import type { EventStore } from '@popsvc/platform/event-store';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { type HourFound, hoursQuery } from './balance.query.ts';
import {
  type CoffeeFound,
  coffeeFoundQuery,
  type EventWanted,
  type PlayFound,
  playsFoundQuery,
  type QuarantinedFound,
  quarantinedFoundQuery,
} from './event-receipts.query.ts';
import { rawEvents } from './raw-events.ts';
import { toldHour } from './told-hour.ts';
import { receiptsOf } from './told-receipts.ts';

export interface Sources {
  readonly reader: ClickHouseReader;
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly signal: AbortSignal;
}

interface Found {
  readonly network_id: number;
  readonly vendor: string;
  readonly plays: readonly PlayFound[];
  readonly quarantined: readonly QuarantinedFound[];
  readonly coffee: CoffeeFound | undefined;
}

const hourMs = 3_600_000;

const nothing = (eventId: string): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `There is no event ${JSON.stringify(eventId.slice(0, 100))}. It may not be projected yet (projections list tells the lag); ` +
      'an event of a schema of its own has no id before a mapping tells it (events quarantine shows those that wait).',
  );

const found = async ({ reader, signal }: Sources, wanted: EventWanted): Promise<readonly Found[]> => {
  const [plays, quarantined, coffee] = await Promise.all([
    reader.rows<PlayFound>(playsFoundQuery(wanted), { signal }),
    reader.rows<QuarantinedFound>(quarantinedFoundQuery(wanted), { signal }),
    reader.rows<CoffeeFound>(coffeeFoundQuery(wanted), { signal }),
  ]);
  const whose = ({ network_id, vendor }: Pick<Found, 'network_id' | 'vendor'>) => `${network_id}/${vendor}`;
  const owners = new Map([...plays, ...quarantined].map((receipt) => [whose(receipt), receipt]));
  return [...owners].map(([key, { network_id, vendor }]) => {
    const isTheirs = (row: Pick<Found, 'network_id' | 'vendor'>) => whose(row) === key;
    return {
      network_id,
      vendor,
      plays: plays.filter(isTheirs),
      quarantined: quarantined.filter(isTheirs),
      coffee: coffee.find(isTheirs),
    };
  });
};

const whole = async (sources: Sources, { network_id, vendor, plays, quarantined, coffee }: Found) => {
  const receipts = receiptsOf(plays, quarantined);
  const hours = [...new Set(receipts.map(({ received_at }) => Math.floor(Date.parse(received_at) / hourMs) * hourMs))];
  const [balance, raws] = await Promise.all([
    sources.reader.rows<HourFound>(hoursQuery({ network: network_id, vendor, hours }, hours.length), sources),
    rawEvents(
      sources.store,
      receipts.map(({ position }) => position),
    ),
  ]);
  const { total = 0, conflicts = 0 } = plays[0] ?? {};
  const { waiting = 0 } = quarantined[0] ?? {};
  return {
    network_id,
    vendor,
    status: total === 0 ? 'quarantined' : coffee ? 'projected' : 'accepted',
    received: total + waiting,
    stored: Math.min(total, 1),
    duplicate: total - Math.min(total, 1) - conflicts,
    conflict: conflicts,
    quarantined: waiting,
    coffee_rows: coffee?.rows ?? 0,
    pop_types: coffee?.pop_types ?? [],
    projected_at: coffee ? instantOf(coffee.projected_ms) : null,
    receipts: receipts.map((receipt) => ({ ...receipt, raw: raws.get(receipt.position) ?? null })),
    balance: balance.map(toldHour),
  };
};

/** Everything that is known of an event, in each network and of each vendor that sent one of this id. */
export const showEvent = async (sources: Sources, wanted: EventWanted) => {
  const all = await found(sources, wanted);
  if (all.length === 0) throw nothing(wanted.eventId);
  return { event_id: wanted.eventId, found: await Promise.all(all.map((one) => whole(sources, one))) };
};
