import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { ApiKey } from '../api/types.ts';
import { Button, NetworkSelect, Select, TextField, useNetworks } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import type { Column } from '../components/table.tsx';
import { TwoLines } from '../components/view.tsx';
import { formatWhole } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { AccessList, type NewItemDialogProps, useAccessList } from './access-list.tsx';
import { CredentialState } from './credential-state.tsx';

const NewKeyDialog = ({ close, onCreated }: NewItemDialogProps) => {
  const [network, setNetwork] = useState('');
  const [vendor, setVendor] = useState('');
  const [name, setName] = useState('');
  const vendors = useNetworks().find(({ id }) => String(id) === network)?.vendors ?? [];
  const chooseNetwork = (id: string) => {
    setNetwork(id);
    setVendor('');
  };
  const run = async () => {
    if (vendor === '') throw new Error('Choose a network and a vendor.');
    const body = { network: Number(network), vendor, ...(name.trim() !== '' && { name: name.trim() }) };
    const made = await responseData(ops.POST('/ops/v1/api-keys', { body }));
    onCreated({ title: `API key of ${made.vendor}`, values: { 'API key': made.api_key } });
  };
  return (
    <Dialog title="New API key" action="Create" run={run} close={close}>
      <NetworkSelect value={network} onSelect={chooseNetwork} placeholder="Choose a network" />
      <Select
        label="Vendor"
        value={vendor}
        options={[
          ['', 'Choose a vendor'],
          ...vendors.map(({ code, name: title }) => [code, `${title} (${code})`] as const),
        ]}
        onSelect={setVendor}
      />
      <TextField label="Name, to recognize it" value={name} onInput={setName} />
    </Dialog>
  );
};

const columnsWith = (revoke: (key: ApiKey) => void): readonly Column<ApiKey>[] => [
  {
    label: 'Key',
    kind: 'name',
    cell: ({ prefix, name }) => (
      <TwoLines isLong sub={name}>
        <code>{prefix}…</code>
      </TwoLines>
    ),
  },
  {
    label: 'Vendor',
    cell: ({ vendor, network_id }) => <TwoLines sub={`network ${network_id}`}>{vendor}</TwoLines>,
  },
  {
    label: 'State',
    cell: ({ revoked_at, expires_at }) => <CredentialState revokedAt={revoked_at} expiresAt={expires_at} />,
  },
  {
    label: 'Limits a second',
    cell: ({ requests_per_second, events_per_second }) => (
      <TwoLines sub={`${formatWhole(events_per_second)} events`}>{formatWhole(requests_per_second)} requests</TwoLines>
    ),
  },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (key) =>
      key.revoked_at === null && (
        <Button size="small" needs="admin" aria-label={`Revoke ${key.prefix}`} onClick={() => revoke(key)}>
          Revoke
        </Button>
      ),
  },
];

export const ApiKeys = () => {
  const list = useAccessList('api keys', (signal) => responseData(ops.GET('/ops/v1/api-keys', { signal })));
  const revoke = ({ id, prefix, vendor }: ApiKey) =>
    list.confirm({
      title: `Revoke ${prefix}…?`,
      action: 'Revoke',
      isDangerous: true,
      about: `Requests of ${vendor} with this key are refused within 5 s. A key cannot be restored.`,
      run: () => ops.DELETE('/ops/v1/api-keys/{id}', { params: { path: { id } } }),
      done: `The key ${prefix}… is revoked.`,
    });
  return (
    <AccessList
      list={list}
      item="API key"
      title="API keys"
      columns={columnsWith(revoke)}
      keyOf={({ id }) => id}
      Form={NewKeyDialog}
    >
      A vendor sends events with an API key of its network.
    </AccessList>
  );
};
