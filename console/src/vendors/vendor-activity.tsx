import { ops, responseData } from '../api/client.ts';
import type { Network } from '../api/types.ts';
import { Select } from '../components/controls.tsx';
import { EmptyState, Loaded } from '../components/view.tsx';
import { UnknownReferenceTable } from '../parked/unknown-references.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo, route, updateFilters } from '../state/route.ts';
import { BalanceView } from './balance.tsx';
import { QuarantineReasons } from './quarantine-reasons.tsx';
import { RefusalReasons } from './refusal-reasons.tsx';

const hourMs = 3_600_000;

const spans = [
  ['24', 'Last 24 hours'],
  ['48', 'Last 48 hours'],
  ['168', 'Last 7 days'],
] as const;

/** In hours. */
const readSpan = () => spans.find(([each]) => each === route.value.query.get('span'))?.[0] ?? '24';

export const PeriodSelect = () => (
  <Select label="Period" value={readSpan()} options={spans} onSelect={(span) => updateFilters({ span })} />
);

interface VendorActivityProps {
  readonly networks: readonly Network[];
  /** Empty: all networks. */
  readonly network: string;
  /** Empty: all vendors. */
  readonly vendor: string;
}

export const VendorActivity = ({ networks, network, vendor }: VendorActivityProps) => {
  const span = readSpan();
  const filter = { ...(network !== '' && { network: Number(network) }), ...(vendor !== '' && { vendor }) };
  const readSince = () =>
    new Date(Math.floor(Date.now() / hourMs) * hourMs - (Number(span) - 1) * hourMs).toISOString();
  const balance = useResource(
    `balance ${network} ${vendor} ${span}`,
    (signal) => {
      const query = { ...filter, since: readSince(), limit: 1_000 };
      return responseData(ops.GET('/ops/v1/balance', { params: { query }, signal }));
    },
    { everyMs: 30_000, resets: true },
  );
  const refusals = useResource(
    `refusals ${network} ${vendor} ${span}`,
    (signal) => {
      const query = { ...filter, since: readSince(), limit: 200 };
      return responseData(ops.GET('/ops/v1/refusals', { params: { query }, signal }));
    },
    { everyMs: 30_000, resets: true },
  );
  if (networks.length === 0 && balance.data?.hours.length === 0)
    return (
      <EmptyState icon="vendors" title="No networks yet">
        The registry contains the networks and their vendors. <a href={hrefTo('registry')}>Upload a registry file.</a>
      </EmptyState>
    );
  return (
    <>
      <Loaded resource={balance} lines={12}>
        {(data) => <BalanceView balance={data} networks={networks} network={network} vendor={vendor} />}
      </Loaded>
      <RefusalReasons refusals={refusals} hasEvents={(balance.data?.sum?.received ?? 0) > 0} />
      <QuarantineReasons filter={filter} />
      <h2>Unknown ids in plays of the last seven days</h2>
      <UnknownReferenceTable filter={filter} />
    </>
  );
};
