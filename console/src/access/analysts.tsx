import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { Analyst } from '../api/types.ts';
import { Button, TextField } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Badge } from '../components/indicators.tsx';
import type { Column } from '../components/table.tsx';
import { Time } from '../format/time.tsx';
import { AccessList, type NewItemDialogProps, useAccessList } from './access-list.tsx';
import { CredentialState } from './credential-state.tsx';
import { parseNetworkIds } from './clients.tsx';

const NewAnalystDialog = ({ close, onCreated }: NewItemDialogProps) => {
  const [name, setName] = useState('');
  const [networks, setNetworks] = useState('');
  const run = async () => {
    const wanted = networks.trim() === 'all' ? ('all' as const) : parseNetworkIds(networks);
    const body = { name: name.trim(), networks: wanted, run_sql: true };
    const made = await responseData(ops.POST('/ops/v1/analysts', { body }));
    const { user, password, url, database, why } = made;
    onCreated({
      title: `Analyst ${user}`,
      values: { user, password, address: url, database },
      note: made.can_log_in
        ? undefined
        : `ClickHouse does not have this login.${why === null ? '' : ` ClickHouse reported: ${why}`}`,
    });
  };
  return (
    <Dialog title="New analyst" action="Create" run={run} close={close}>
      <TextField
        label="Login"
        about="Lower case letters, digits and underscores. A name cannot be used again."
        value={name}
        onInput={setName}
        isRequired
      />
      <TextField
        label="Networks"
        about="Ids, separated by commas, or all."
        value={networks}
        onInput={setNetworks}
        isRequired
      />
    </Dialog>
  );
};

const LoginState = ({ canLogIn }: { readonly canLogIn: boolean | null }) => {
  if (canLogIn === null)
    return <Badge tone="quiet" text="unknown" title="The service may not list users, or ClickHouse does not answer." />;
  return canLogIn ? <Badge tone="good" text="exists" /> : <Badge tone="warn" text="missing" />;
};

const columnsWith = (revoke: (analyst: Analyst) => void): readonly Column<Analyst>[] => [
  { label: 'Login', kind: 'name', cell: ({ name }) => name },
  { label: 'Networks', cell: ({ network_ids }) => network_ids?.join(', ') ?? 'all' },
  { label: 'State', cell: ({ revoked_at }) => <CredentialState revokedAt={revoked_at} /> },
  { label: 'In ClickHouse', cell: ({ can_log_in }) => <LoginState canLogIn={can_log_in} /> },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (analyst) =>
      analyst.revoked_at === null && (
        <Button size="small" needs="admin" aria-label={`Revoke ${analyst.name}`} onClick={() => revoke(analyst)}>
          Revoke
        </Button>
      ),
  },
];

export const Analysts = () => {
  const list = useAccessList('analysts', (signal) => responseData(ops.GET('/ops/v1/analysts', { signal })));
  const revoke = ({ name }: Analyst) =>
    list.confirm({
      title: `Revoke ${name}?`,
      action: 'Revoke',
      isDangerous: true,
      about: 'The login sees no rows from then on, and its running queries are killed.',
      run: () => ops.DELETE('/ops/v1/analysts/{name}', { params: { path: { name } } }),
      done: `The analyst ${name} is revoked.`,
    });
  return (
    <AccessList
      list={list}
      item="analyst"
      title="Analysts"
      columns={columnsWith(revoke)}
      keyOf={({ name }) => name}
      Form={NewAnalystDialog}
    >
      An analyst queries ClickHouse in SQL and sees the rows of some networks.
    </AccessList>
  );
};
