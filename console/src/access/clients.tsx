import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { Client } from '../api/types.ts';
import { Button, TextField } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded } from '../components/view.tsx';
import { Time } from '../format/time.tsx';
import { CredentialState } from './credential-state.tsx';
import { parseNetworkIds } from './network-ids.ts';
import type { Secret } from './secret-dialog.tsx';
import { useAccessList } from './use-access-list.tsx';

const overlapDays = 7;

const secretOf = (made: { readonly client_id: string; readonly client_secret: string }): Secret => ({
  title: `Client ${made.client_id}`,
  values: { client_id: made.client_id, client_secret: made.client_secret },
});

interface NewClientDialogProps {
  readonly close: () => void;
  readonly onCreated: (secret: Secret) => void;
}

const NewClientDialog = ({ close, onCreated }: NewClientDialogProps) => {
  const [networks, setNetworks] = useState('');
  const [name, setName] = useState('');
  const run = async () => {
    const body = { networks: parseNetworkIds(networks), ...(name.trim() !== '' && { name: name.trim() }) };
    onCreated(secretOf(await responseData(ops.POST('/ops/v1/clients', { body }))));
  };
  return (
    <Dialog title="New client" action="Create" run={run} close={close}>
      <TextField
        label="Networks"
        about="Ids, separated by commas. The first is the default of a request."
        value={networks}
        onInput={setNetworks}
        isRequired
      />
      <TextField label="Name, to recognize it" value={name} onInput={setName} />
    </Dialog>
  );
};

interface Actions {
  readonly rotate: (client: Client) => void;
  readonly revoke: (client: Client) => void;
}

const columnsWith = ({ rotate, revoke }: Actions): readonly Column<Client>[] => [
  {
    label: 'Client',
    kind: 'name',
    cell: ({ client_id, name }) => (
      <span class="long-text">
        {name ?? client_id}
        {name !== null && <span class="sub">{client_id}</span>}
      </span>
    ),
  },
  { label: 'Networks', cell: ({ network_ids }) => network_ids.join(', ') },
  { label: 'State', cell: ({ revoked_at }) => <CredentialState revokedAt={revoked_at} /> },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (client) =>
      client.revoked_at === null && (
        <div class="buttons">
          <Button
            size="small"
            needs="admin"
            aria-label={`New secret of ${client.client_id}`}
            onClick={() => rotate(client)}
          >
            New secret
          </Button>
          <Button size="small" needs="admin" aria-label={`Revoke ${client.client_id}`} onClick={() => revoke(client)}>
            Revoke
          </Button>
        </div>
      ),
  },
];

export const Clients = () => {
  const list = useAccessList('clients', (signal) => responseData(ops.GET('/ops/v1/clients', { signal })));
  const rotate = ({ client_id: id }: Client) =>
    list.confirm({
      title: `New secret of ${id}?`,
      action: 'Create a secret',
      about: `The present secret stays valid for ${overlapDays} days.`,
      async run() {
        const made = await responseData(ops.POST('/ops/v1/clients/{id}/rotate', { params: { path: { id } } }));
        list.showSecret(secretOf(made));
      },
    });
  const revoke = ({ client_id: id }: Client) =>
    list.confirm({
      title: `Revoke ${id}?`,
      action: 'Revoke',
      isDangerous: true,
      about: 'Its access tokens are refused within 5 s. A client cannot be restored.',
      run: () => ops.DELETE('/ops/v1/clients/{id}', { params: { path: { id } } }),
      done: `The client ${id} is revoked.`,
    });
  return (
    <>
      <div class="buttons">
        <Button kind="primary" needs="admin" onClick={list.openForm}>
          New client
        </Button>
      </div>
      <Loaded resource={list.items}>
        {(clients) =>
          clients.length === 0 ? (
            <EmptyState icon="access" title="No clients">
              A partner reads reports with the access tokens of a client.
            </EmptyState>
          ) : (
            <Table
              caption="Clients"
              columns={columnsWith({ rotate, revoke })}
              rows={clients}
              keyOf={({ client_id }) => client_id}
            />
          )
        }
      </Loaded>
      {list.dialogs((close) => (
        <NewClientDialog close={close} onCreated={list.showSecret} />
      ))}
    </>
  );
};
