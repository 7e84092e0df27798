import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { Client } from '../api/types.ts';
import { Button, TextField } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import type { Column } from '../components/table.tsx';
import { TwoLines } from '../components/view.tsx';
import { Time } from '../format/time.tsx';
import { AccessList, type NewItemDialogProps, type Secret, useAccessList } from './access-list.tsx';
import { CredentialState } from './credential-state.tsx';

const overlapDays = 7;

export const parseNetworkIds = (text: string): number[] => {
  const ids = text.split(/[\s,]+/).filter((part) => part !== '');
  const wrong = ids.find((id) => !/^\d{1,15}$/.test(id));
  if (ids.length === 0 || wrong !== undefined)
    throw new Error(`Networks must be ids, separated by commas${wrong === undefined ? '' : `; ${wrong} is none`}.`);
  return ids.map(Number);
};

const secretOf = (made: { readonly client_id: string; readonly client_secret: string }): Secret => ({
  title: `Client ${made.client_id}`,
  values: { client_id: made.client_id, client_secret: made.client_secret },
});

const NewClientDialog = ({ close, onCreated }: NewItemDialogProps) => {
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
      <TwoLines isLong sub={name !== null && client_id}>
        {name ?? client_id}
      </TwoLines>
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
    <AccessList
      list={list}
      item="client"
      title="Clients"
      columns={columnsWith({ rotate, revoke })}
      keyOf={({ client_id }) => client_id}
      Form={NewClientDialog}
    >
      A partner reads reports with the access tokens of a client.
    </AccessList>
  );
};
