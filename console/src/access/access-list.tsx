import type { ComponentChildren, FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { showNotice } from '../components/notices.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded } from '../components/view.tsx';
import { type Resource, useResource } from '../state/resource.ts';

export interface Secret {
  readonly title: string;
  readonly values: Readonly<Record<string, string>>;
  readonly note?: string | undefined;
}

interface SecretDialogProps {
  readonly secret: Secret;
  readonly close: () => void;
}

const SecretDialog = ({ secret: { title, values, note }, close }: SecretDialogProps) => (
  <Dialog title={title} action="Done" close={close}>
    <p>Keep it now: it is not shown again.</p>
    <dl class="secrets">
      {Object.entries(values).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
    </dl>
    {note !== undefined && <p>{note}</p>}
  </Dialog>
);

interface Confirmation {
  readonly title: string;
  readonly action: string;
  readonly about: ComponentChildren;
  readonly isDangerous?: boolean;
  readonly run: () => Promise<unknown>;
  readonly done?: string;
}

interface ConfirmDialogProps {
  readonly confirmation: Confirmation;
  readonly close: () => void;
  readonly onDone: () => void;
}

const ConfirmDialog = ({ confirmation, close, onDone }: ConfirmDialogProps) => {
  const { title, action, about, isDangerous = false, run, done } = confirmation;
  const confirm = async () => {
    await run();
    if (done !== undefined) showNotice('good', done);
    onDone();
  };
  return (
    <Dialog title={title} action={action} isDangerous={isDangerous} run={confirm} close={close}>
      <p>{about}</p>
    </Dialog>
  );
};

export interface NewItemDialogProps {
  readonly close: () => void;
  readonly onCreated: (secret: Secret) => void;
}

interface AccessListState<Item> {
  readonly items: Resource<readonly Item[]>;
  readonly confirm: (confirmation: Confirmation) => void;
  readonly openForm: () => void;
  readonly showSecret: (secret: Secret) => void;
  readonly dialogs: (Form: FunctionComponent<NewItemDialogProps>) => ComponentChildren;
}

export const useAccessList = <Item,>(
  name: string,
  load: (signal: AbortSignal) => Promise<readonly Item[]>,
): AccessListState<Item> => {
  const items = useResource(name, load, { everyMs: 15_000 });
  const [confirmation, setConfirmation] = useState<Confirmation>();
  const [hasForm, setHasForm] = useState(false);
  const [secret, setSecret] = useState<Secret>();
  const showSecret = (shown: Secret) => {
    setSecret(shown);
    items.reload();
  };
  return {
    items,
    confirm: setConfirmation,
    openForm: () => setHasForm(true),
    showSecret,
    dialogs: (Form) => (
      <>
        {hasForm && <Form close={() => setHasForm(false)} onCreated={showSecret} />}
        {confirmation && (
          <ConfirmDialog confirmation={confirmation} close={() => setConfirmation(undefined)} onDone={items.reload} />
        )}
        {secret && <SecretDialog secret={secret} close={() => setSecret(undefined)} />}
      </>
    ),
  };
};

interface AccessListProps<Item> {
  readonly list: AccessListState<Item>;
  /** Singular, such as `client`. */
  readonly item: string;
  readonly title: string;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  readonly Form: FunctionComponent<NewItemDialogProps>;
  /** Shown while there are no items. */
  readonly children: ComponentChildren;
}

export const AccessList = <Item,>({ list, item, title, columns, keyOf, Form, children }: AccessListProps<Item>) => (
  <>
    <div class="buttons">
      <Button kind="primary" needs="admin" onClick={list.openForm}>
        New {item}
      </Button>
    </div>
    <Loaded resource={list.items}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState icon="access" title={`No ${item}s`}>
            {children}
          </EmptyState>
        ) : (
          <Table caption={title} columns={columns} rows={items} keyOf={keyOf} />
        )
      }
    </Loaded>
    {list.dialogs(Form)}
  </>
);
