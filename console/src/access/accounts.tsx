import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { Account } from '../api/types.ts';
import { Button, Select, TextField } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { showNotice } from '../components/notices.tsx';
import type { Column } from '../components/table.tsx';
import { Time } from '../format/time.tsx';
import type { Role } from '../state/operator.ts';
import { AccessList, type NewItemDialogProps, type Secret, useAccessList } from './access-list.tsx';

const roleOptions = [
  ['viewer', 'viewer: reads'],
  ['operator', 'operator: also operates'],
  ['admin', 'admin: also credentials and accounts'],
] as const satisfies readonly (readonly [Role, string])[];

const secretOf = ({ name, password }: { readonly name: string; readonly password: string }): Secret => ({
  title: `Account ${name}`,
  values: { account: name, password },
});

interface RoleSelectProps {
  readonly value: Role;
  readonly onSelect: (role: Role) => void;
}

const RoleSelect = ({ value, onSelect }: RoleSelectProps) => (
  <Select label="Role" value={value} options={roleOptions} onSelect={(role) => onSelect(role as Role)} />
);

const NewAccountDialog = ({ close, onCreated }: NewItemDialogProps) => {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const run = async () =>
    onCreated(secretOf(await responseData(ops.POST('/ops/v1/accounts', { body: { name: name.trim(), role } }))));
  return (
    <Dialog title="New account" action="Create" run={run} close={close}>
      <TextField
        label="Name"
        about="Lower case letters, digits and . _ @ + -"
        value={name}
        onInput={setName}
        isRequired
      />
      <RoleSelect value={role} onSelect={setRole} />
    </Dialog>
  );
};

interface RoleDialogProps {
  readonly account: Account;
  readonly close: () => void;
  readonly onDone: () => void;
}

const RoleDialog = ({ account: { name, role: present }, close, onDone }: RoleDialogProps) => {
  const [role, setRole] = useState<Role>(present);
  const run = async () => {
    await ops.PUT('/ops/v1/accounts/{name}/role', { params: { path: { name } }, body: { role } });
    showNotice('good', `${name} has the role ${role}.`);
    onDone();
  };
  return (
    <Dialog title={`Role of ${name}`} action="Set the role" run={run} close={close}>
      <RoleSelect value={role} onSelect={setRole} />
      <p>The sessions of the account end.</p>
    </Dialog>
  );
};

type Choose = (action: 'role' | 'password' | 'delete', account: Account) => void;

const columnsWith = (choose: Choose): readonly Column<Account>[] => [
  { label: 'Account', kind: 'name', cell: ({ name }) => name },
  { label: 'Role', cell: ({ role }) => role },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { label: 'Changed', cell: ({ changed_at }) => <Time at={changed_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: (account) => {
      const button = (action: Parameters<Choose>[0], text: string) => (
        <Button size="small" aria-label={`${text}: ${account.name}`} onClick={() => choose(action, account)}>
          {text}
        </Button>
      );
      return (
        <div class="buttons">
          {button('role', 'Role')}
          {button('password', 'New password')}
          {button('delete', 'Delete')}
        </div>
      );
    },
  },
];

export const Accounts = () => {
  const list = useAccessList('accounts', (signal) => responseData(ops.GET('/ops/v1/accounts', { signal })));
  const [changed, setChanged] = useState<Account>();
  const choose: Choose = (action, account) => {
    const { name } = account;
    const params = { path: { name } };
    if (action === 'role') setChanged(account);
    else if (action === 'password')
      list.confirm({
        title: `New password of ${name}?`,
        action: 'Create a password',
        about: 'The present password is no longer valid, and the sessions of the account end.',
        run: async () =>
          list.showSecret(secretOf(await responseData(ops.POST('/ops/v1/accounts/{name}/password', { params })))),
      });
    else
      list.confirm({
        title: `Delete ${name}?`,
        action: 'Delete',
        isDangerous: true,
        about: 'The sessions of the account end. Its actions stay in the audit log.',
        run: () => ops.DELETE('/ops/v1/accounts/{name}', { params }),
        done: `The account ${name} is deleted.`,
      });
  };
  return (
    <>
      <AccessList
        list={list}
        item="account"
        title="Accounts"
        columns={columnsWith(choose)}
        keyOf={({ name }) => name}
        Form={NewAccountDialog}
      >
        Give operators an account each, so that the audit log names them.
      </AccessList>
      {changed && <RoleDialog account={changed} close={() => setChanged(undefined)} onDone={list.items.reload} />}
    </>
  );
};
