import { NetworkSelect, Select, useNetworks } from '../components/controls.tsx';
import { ViewHeader } from '../components/view.tsx';
import { route, updateFilters } from '../state/route.ts';
import { PeriodSelect, VendorActivity } from './vendor-activity.tsx';

export const Vendors = () => {
  const { query } = route.value;
  const [network = '', vendor = ''] = ['network', 'vendor'].map((name) => query.get(name) ?? '');
  const networks = useNetworks();
  const vendors = networks
    .filter(({ id }) => network === '' || String(id) === network)
    .flatMap((each) => each.vendors.map(({ code }) => [code, code] as const));
  return (
    <section class="view">
      <ViewHeader
        title="Vendors"
        about="What vendors sent, by hour of receipt: received = stored + duplicates + conflicts + quarantined."
      />
      <div class="filters">
        <NetworkSelect value={network} onSelect={(value) => updateFilters({ network: value, vendor: '' })} />
        <Select
          label="Vendor"
          value={vendor}
          options={[['', 'All'], ...vendors]}
          onSelect={(value) => updateFilters({ vendor: value })}
        />
        <PeriodSelect />
      </div>
      <VendorActivity networks={networks} network={network} vendor={vendor} />
    </section>
  );
};
