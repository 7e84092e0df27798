import type { NetworkSummary } from '../api/types.ts';
import { useNetworks } from '../components/controls.tsx';
import { Badge } from '../components/indicators.tsx';
import { Problems } from '../components/problems.tsx';
import { EmptyState, Fact, Loaded, ViewHeader } from '../components/view.tsx';
import { formatCount, formatWhole } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { overview } from '../state/live-state.ts';
import { hrefTo } from '../state/route.ts';
import { PeriodSelect, VendorActivity } from '../vendors/vendor-activity.tsx';
import { LastReceived, useNetworkSummaries } from './networks.tsx';

const NetworkFacts = ({ network }: { readonly network: NetworkSummary }) => {
  const { id, sites, devices, online, plays, quarantined, data_as_of: asOf, timezone } = network;
  return (
    <div class="card">
      <dl class="facts">
        <Fact
          name="Devices"
          sub={
            <>
              {formatCount(sites, 'site')}, <a href={hrefTo('outages', '', { network: id })}>outages</a>
            </>
          }
        >
          <a href={hrefTo('devices', '', { network: id })}>
            {formatWhole(online)} of {formatWhole(devices)} online
          </a>
        </Fact>
        <Fact name="Plays in 24 h" sub={<a href={hrefTo('completeness', '', { network: id })}>completeness</a>}>
          {formatWhole(plays)}
        </Fact>
        <Fact name="Quarantined">{formatWhole(quarantined)}</Fact>
        <Fact name="Last received">
          <LastReceived network={network} />
        </Fact>
        <Fact name="Data as of">
          <Ago at={asOf} site={timezone} />
        </Fact>
      </dl>
    </div>
  );
};

/** Subjects such as `site 3 of network 1` end with the network. */
const NetworkProblems = ({ id }: { readonly id: number }) => {
  const problems = overview.value?.problems;
  if (!problems) return null;
  const isOfNetwork = new RegExp(`\\bnetwork ${id}$`);
  return (
    <Problems
      problems={problems.filter(({ subject }) => isOfNetwork.test(subject ?? ''))}
      allClear="The overview lists no problem of this network."
    />
  );
};

export const Network = ({ id }: { readonly id: string }) => {
  const summaries = useNetworkSummaries();
  const networks = useNetworks();
  const shown = summaries.data?.networks.find((each) => String(each.id) === id);
  return (
    <section class="view">
      <ViewHeader
        title={shown?.name ?? `Network ${id}`}
        about={shown && `${id} · ${shown.timezone}`}
        back={{ href: hrefTo('networks'), title: 'Networks' }}
      >
        {shown?.retired && <Badge tone="quiet" text="retired" />}
      </ViewHeader>
      <Loaded resource={summaries}>
        {() =>
          shown ? (
            <>
              <NetworkFacts network={shown} />
              <NetworkProblems id={shown.id} />
              <div class="filters">
                <PeriodSelect />
              </div>
              <VendorActivity networks={networks} network={id} vendor="" />
            </>
          ) : (
            <EmptyState icon="networks" title="The registry has no such network">
              The address may be wrong.
            </EmptyState>
          )
        }
      </Loaded>
    </section>
  );
};
