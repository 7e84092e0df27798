import { ops, responseData } from '../api/client.ts';
import type { AuditedAction } from '../api/types.ts';
import { Select, TextFilter } from '../components/controls.tsx';
import { Badge } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines, ViewHeader } from '../components/view.tsx';
import { Time } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo, route, updateFilters } from '../state/route.ts';
import { actionName, actionNames } from './action-names.ts';

const outcomeOptions = [
  ['', 'All'],
  ['done', 'Done'],
  ['refused', 'Refused'],
] as const;

const namedActions = Object.entries(actionNames).sort(([, one], [, other]) => one.localeCompare(other));

const actionOptions = (chosen: string): readonly (readonly [value: string, text: string])[] => [
  ['', 'All'],
  ...namedActions,
  ...(chosen === '' || chosen in actionNames ? [] : [[chosen, chosen] as const]),
];

const columns: readonly Column<AuditedAction>[] = [
  {
    label: 'Action',
    kind: 'name',
    cell: ({ action, request_id: requestId }) => (
      <TwoLines isLong sub={requestId !== null && `request ${requestId}`}>
        <span title={action}>{actionName(action)}</span>
      </TwoLines>
    ),
  },
  {
    label: 'Target',
    kind: 'plain',
    cell: ({ target }) => (
      <span class="long-text">
        {Object.entries(target).map(([name, value]) => (
          <span key={name} class="sub">
            {name}: {value}
          </span>
        ))}
      </span>
    ),
  },
  {
    label: 'Operator',
    cell: ({ actor, role }) => <TwoLines sub={role}>{actor}</TwoLines>,
  },
  {
    label: 'Outcome',
    cell: ({ outcome }) => <Badge tone={outcome === 'done' ? 'good' : 'bad'} text={outcome} />,
  },
  { label: 'Address', cell: ({ address }) => address },
  { label: 'Time', cell: ({ at }) => <Time at={at} /> },
];

const filterNames = ['actor', 'action', 'outcome', 'after'] as const;

export const Audit = () => {
  const { query } = route.value;
  const filters = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? '']));
  const { actor = '', action = '', outcome = '', after = '' } = filters;
  const page = useResource(
    `audit ${JSON.stringify(filters)}`,
    (signal) => {
      const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
      return responseData(ops.GET('/ops/v1/audit', { params: { query: { ...given, limit: 20 } }, signal }));
    },
    { everyMs: after === '' ? 10_000 : 0, resets: true },
  );
  const filter = (changed: Readonly<Record<string, string>>) => updateFilters({ ...changed, after: '' });
  return (
    <section class="view">
      <ViewHeader title="Audit" about="Changes and sign-ins of operators, and what was refused because of the role." />
      <div class="filters">
        <TextFilter
          label="Operator"
          value={actor}
          suggestions={[...new Set(page.data?.actions.map((each) => each.actor))]}
          onChange={(value) => filter({ actor: value })}
        />
        <Select
          label="Action"
          value={action}
          options={actionOptions(action)}
          onSelect={(value) => filter({ action: value })}
        />
        <Select
          label="Outcome"
          value={outcome}
          options={outcomeOptions}
          onSelect={(value) => filter({ outcome: value })}
        />
      </div>
      <Loaded resource={page} lines={12}>
        {({ actions, next_after: next }) => (
          <>
            {actions.length === 0 ? (
              <EmptyState icon="audit" title="No actions">
                {next === null
                  ? 'No action matches these filters.'
                  : 'No action of this part of the log matches these filters. Older ones may.'}
              </EmptyState>
            ) : (
              <Table
                caption="Actions of operators"
                columns={columns}
                rows={actions}
                keyOf={({ sequence }) => sequence}
              />
            )}
            <nav class="more" aria-label="Pages">
              {after !== '' && <a href={hrefTo('audit', '', { ...filters, after: '' })}>Newest</a>}
              {next !== null && <a href={hrefTo('audit', '', { ...filters, after: next })}>Older</a>}
            </nav>
          </>
        )}
      </Loaded>
    </section>
  );
};
