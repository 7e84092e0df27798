import { ops, responseData } from '../api/client.ts';
import type { MappingInForce } from '../api/types.ts';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines, ViewHeader } from '../components/view.tsx';
import { Time } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo } from '../state/route.ts';
import { Workbench } from './workbench.tsx';

/** Unambiguous, because a vendor code contains no colon. */
const idOf = ({ vendor, schema_version }: Pick<MappingInForce, 'vendor' | 'schema_version'>): string =>
  `${vendor}:${schema_version}`;

const newId = 'new';

const columns: readonly Column<MappingInForce>[] = [
  {
    label: 'Schema',
    kind: 'name',
    cell: (mapping) => (
      <TwoLines sub={`${mapping.vendor}, network ${mapping.network_id}`}>
        <a href={hrefTo('mappings', idOf(mapping))}>{mapping.schema_version}</a>
      </TwoLines>
    ),
  },
  { label: 'Version', kind: 'number', cell: ({ version }) => version },
  { label: 'Fields', cell: ({ mapping }) => Object.keys(mapping.fields).join(', ') },
  { label: 'Registered', cell: ({ registered_at }) => <Time at={registered_at} /> },
];

const useMappings = () =>
  useResource('mappings', (signal) => responseData(ops.GET('/ops/v1/mappings', { signal })), { everyMs: 30_000 });

export const Mappings = () => {
  const mappings = useMappings();
  return (
    <section class="view">
      <ViewHeader title="Mappings" about="How events in the vendors' own schemas become plays.">
        <a class="button" data-kind="primary" href={hrefTo('mappings', newId)}>
          New mapping
        </a>
      </ViewHeader>
      <Loaded resource={mappings}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="mappings" title="No mappings">
              Vendors that send plays in the canonical schema need none. Events in a schema of a vendor wait in
              quarantine until a mapping fits.
            </EmptyState>
          ) : (
            <Table caption="Mappings" columns={columns} rows={all} keyOf={idOf} />
          )
        }
      </Loaded>
    </section>
  );
};

const exampleMapping = {
  vendor: 'acme',
  schema_version: 'player-1',
  fields: {
    screenId: { path: 'screen' },
    campaignId: { path: 'ad.campaign' },
    creativeId: { path: 'ad.file' },
    playedAt: { path: 'start', time: 'unix_s' },
    duration: { path: 'seconds', unit: 's' },
  },
};

export const MappingDetail = ({ id }: { readonly id: string }) => {
  const mappings = useMappings();
  const found = mappings.data?.find((each) => idOf(each) === id);
  return (
    <section class="view">
      <ViewHeader
        title={id === newId ? 'New mapping' : id}
        about={
          found && (
            <>
              Version {found.version}, registered <Time at={found.registered_at} />
            </>
          )
        }
        back={{ href: hrefTo('mappings'), title: 'Mappings' }}
      />
      <Loaded resource={mappings} lines={12}>
        {() =>
          found || id === newId ? (
            <Workbench initial={JSON.stringify(found?.mapping ?? exampleMapping, null, 2)} onSaved={mappings.reload} />
          ) : (
            <EmptyState icon="mappings" title="There is no such mapping">
              The vendor may be retired, or the address may be wrong.
            </EmptyState>
          )
        }
      </Loaded>
    </section>
  );
};
