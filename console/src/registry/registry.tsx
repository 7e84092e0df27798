import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { RegistryFile } from '../api/types.ts';
import { SearchField, Select } from '../components/controls.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines, ViewHeader } from '../components/view.tsx';
import { formatWhole } from '../format/numbers.ts';
import { useResource } from '../state/resource.ts';
import { route, updateFilters } from '../state/route.ts';
import { RegistryUpload } from './registry-upload.tsx';

type Entity = Readonly<Record<string, unknown>>;

/** In the order of the drop-down list. */
const kinds = {
  networks: 'Networks',
  vendors: 'Vendors',
  sites: 'Sites',
  locations: 'Locations',
  devices: 'Devices',
  feeders: 'Feeders',
  cameras: 'Cameras',
  apps: 'Apps',
  campaigns: 'Campaigns',
  creatives: 'Creatives',
  metric_definitions: 'Metric definitions',
} as const satisfies Readonly<Record<keyof RegistryFile, string>>;
type Kind = keyof typeof kinds;

const maxRows = 200;

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : JSON.stringify(value);

const keyOfEntity = (entity: Entity): string => textOf(entity['id'] ?? entity['code'] ?? entity['name'] ?? entity);

const columns: readonly Column<Entity>[] = [
  {
    label: 'Entity',
    kind: 'name',
    cell: (entity) => (
      <TwoLines isLong sub={keyOfEntity(entity)}>
        {textOf(entity['name'] ?? keyOfEntity(entity))}
      </TwoLines>
    ),
  },
  {
    label: 'Fields',
    kind: 'plain',
    cell: (entity) => (
      <span class="long-text">
        {Object.entries(entity)
          .filter(([name]) => name !== 'id' && name !== 'name')
          .map(([name, value]) => (
            <span key={name} class="sub">
              {name}: {textOf(value)}
            </span>
          ))}
      </span>
    ),
  },
];

export const Registry = () => {
  const { query } = route.value;
  const kind = (Object.keys(kinds) as Kind[]).find((each) => each === query.get('kind')) ?? 'networks';
  const search = (query.get('search') ?? '').toLowerCase();
  const registry = useResource('registry', (signal) => responseData(ops.GET('/ops/v1/registry', { signal })));
  const [isUploading, setIsUploading] = useState(false);
  const entitiesOf = (file: RegistryFile, each: Kind): readonly Entity[] => file[each];
  const options = (Object.keys(kinds) as Kind[]).map((each): readonly [string, string] => [
    each,
    registry.data ? `${kinds[each]} (${formatWhole(entitiesOf(registry.data, each).length)})` : kinds[each],
  ]);
  return (
    <section class="view">
      <ViewHeader title="Registry" about="Networks, sites, devices and what belongs to them, as they are in force.">
        <RegistryUpload isOpen={isUploading} setIsOpen={setIsUploading} onApplied={registry.reload} />
      </ViewHeader>
      <div class="filters" role="search">
        <SearchField
          value={query.get('search') ?? ''}
          placeholder="Id, name or any field"
          onSearch={(value) => updateFilters({ search: value })}
        />
        <Select label="Kind" value={kind} options={options} onSelect={(value) => updateFilters({ kind: value })} />
      </div>
      <Loaded resource={registry} lines={12}>
        {(file) => {
          const all = entitiesOf(file, kind);
          const matching = all.filter(
            (entity) => search === '' || JSON.stringify(entity).toLowerCase().includes(search),
          );
          return matching.length === 0 ? (
            <EmptyState icon="registry" title={all.length === 0 ? `No ${kinds[kind].toLowerCase()}` : 'No match'}>
              {all.length === 0 ? 'Upload a registry file to add some.' : 'The search covers all fields.'}
            </EmptyState>
          ) : (
            <>
              <Table caption={kinds[kind]} columns={columns} rows={matching.slice(0, maxRows)} keyOf={keyOfEntity} />
              <p class="more">
                {matching.length > maxRows
                  ? `The first ${formatWhole(maxRows)} of ${formatWhole(matching.length)}. Search to see others.`
                  : `${formatWhole(matching.length)} ${matching.length === 1 ? 'entry' : 'entries'}`}
              </p>
            </>
          );
        }}
      </Loaded>
    </section>
  );
};
