import type { Balance, BalanceHour, Network } from '../api/types.ts';
import { LineChart } from '../charts/line-chart.tsx';
import { type Column, Table } from '../components/table.tsx';
import { NothingFound, TwoLines } from '../components/view.tsx';
import { formatShort, formatWhole } from '../format/numbers.ts';
import { nowMs } from '../format/time.tsx';
import { hrefTo, route } from '../state/route.ts';

const hourMs = 3_600_000;

const outcomes = ['received', 'stored', 'duplicate', 'conflict', 'quarantined', 'late'] as const;
type Counts = Readonly<Record<(typeof outcomes)[number], number>>;

const outcomeLabels: Readonly<Record<keyof Counts, string>> = {
  received: 'Received',
  stored: 'Stored',
  duplicate: 'Duplicates',
  conflict: 'Conflicts',
  quarantined: 'Quarantined',
  late: 'Late, of the stored',
};

const noCounts: Counts = { received: 0, stored: 0, duplicate: 0, conflict: 0, quarantined: 0, late: 0 };

const addCounts = (one: Counts, other: Counts): Counts =>
  Object.fromEntries(outcomes.map((name) => [name, one[name] + other[name]])) as unknown as Counts;

const tones: Readonly<Partial<Record<keyof Counts, 'warn'>>> = { conflict: 'warn', quarantined: 'warn' };

const Sums = ({ sum }: { readonly sum: Counts }) => (
  <dl class="counts" aria-label="Sums">
    {outcomes.map((name) => (
      <div key={name}>
        <dt class="count-name">{outcomeLabels[name]}</dt>
        <dd class="count-value" data-tone={sum[name] > 0 ? tones[name] : undefined}>
          {formatWhole(sum[name])}
        </dd>
      </div>
    ))}
  </dl>
);

interface ChartsProps {
  readonly hours: readonly BalanceHour[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly network: Network | undefined;
}

const chartOutcomes = ['received', 'stored', 'duplicate', 'quarantined'] as const;

const Charts = ({ hours, fromMs, toMs, network }: ChartsProps) => {
  const byHour = new Map<number, Counts>();
  for (const hour of hours) {
    const ms = Date.parse(hour.hour);
    byHour.set(ms, addCounts(byHour.get(ms) ?? noCounts, hour));
  }
  const times: number[] = [];
  for (let ms = Math.floor(fromMs / hourMs) * hourMs; ms < toMs; ms += hourMs) times.push(ms);
  return (
    <div class="tiles">
      {chartOutcomes.map((name) => {
        const values = times.map((ms) => (byHour.get(ms) ?? noCounts)[name]);
        return (
          <LineChart
            key={name}
            title={outcomeLabels[name]}
            tone={name === 'quarantined' ? 'bad' : undefined}
            value={formatShort(values.at(-1) ?? 0)}
            unit="events this hour"
            valueUnit="events"
            interval="hour"
            times={times}
            values={values}
            site={network?.timezone}
          />
        );
      })}
    </div>
  );
};

interface VendorSums extends Counts {
  readonly network: number;
  readonly vendor: string;
}

const groupByVendor = (hours: readonly BalanceHour[], networks: readonly Network[]): readonly VendorSums[] => {
  const sums = new Map<string, VendorSums>();
  for (const { id: network, vendors } of networks)
    for (const { code: vendor } of vendors) sums.set(`${network} ${vendor}`, { network, vendor, ...noCounts });
  for (const hour of hours) {
    const { network_id: network, vendor } = hour;
    const key = `${network} ${vendor}`;
    sums.set(key, { network, vendor, ...addCounts(sums.get(key) ?? noCounts, hour) });
  }
  return [...sums.values()].sort((one, other) => other.received - one.received);
};

const vendorColumns = (networks: readonly Network[]): readonly Column<VendorSums>[] => [
  {
    label: 'Vendor',
    kind: 'name',
    cell: ({ network, vendor }) => (
      <TwoLines sub={networks.find(({ id }) => id === network)?.name ?? `network ${network}`}>
        <a href={hrefTo('vendors', '', { ...Object.fromEntries(route.value.query), network, vendor })}>{vendor}</a>
      </TwoLines>
    ),
  },
  ...outcomes.map((name): Column<VendorSums> => ({
    label: outcomeLabels[name],
    kind: 'number',
    cell: (sums) => formatWhole(sums[name]),
  })),
];

interface BalanceViewProps {
  readonly balance: Balance;
  readonly networks: readonly Network[];
  /** `network` and `vendor` are empty for all. */
  readonly network: string;
  readonly vendor: string;
}

export const BalanceView = ({ balance: { since, hours, sum }, networks, network, vendor }: BalanceViewProps) => {
  const shown = networks.filter(({ id }) => network === '' || String(id) === network);
  const vendors = vendor === '' ? groupByVendor(hours, shown) : [];
  const isPartial = sum !== null && sum.hours > hours.length;
  return (
    <>
      {(sum?.received ?? 0) === 0 ? (
        <NothingFound tone="quiet">No event was received in this period.</NothingFound>
      ) : (
        <>
          <Sums sum={sum ?? noCounts} />
          <Charts
            hours={hours}
            fromMs={Date.parse(since)}
            toMs={nowMs.value}
            network={shown.length === 1 ? shown[0] : undefined}
          />
        </>
      )}
      {isPartial && (
        <p class="muted">
          The charts and the list of vendors show the newest {formatWhole(hours.length)} of {formatWhole(sum.hours)}{' '}
          hours of vendors. Choose a network, a vendor or a shorter period.
        </p>
      )}
      {vendors.length > 0 && (
        <Table
          caption="Vendors"
          columns={vendorColumns(networks)}
          rows={vendors}
          keyOf={(sums) => `${sums.network} ${sums.vendor}`}
        />
      )}
    </>
  );
};
