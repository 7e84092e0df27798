import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Resource, useResource } from '../state/resource.ts';
import { type Confirmation, ConfirmDialog } from './confirm-dialog.tsx';
import { type Secret, SecretDialog } from './secret-dialog.tsx';

interface AccessList<Item> {
  readonly items: Resource<readonly Item[]>;
  readonly confirm: (confirmation: Confirmation) => void;
  readonly openForm: () => void;
  readonly showSecret: (secret: Secret) => void;
  /** The open dialog, if any. `form` renders the form that creates an item. */
  readonly dialogs: (form: (close: () => void) => ComponentChildren) => ComponentChildren;
}

/** Loads a list of credentials and holds the dialogs that change it. */
export const useAccessList = <Item,>(
  name: string,
  load: (signal: AbortSignal) => Promise<readonly Item[]>,
): AccessList<Item> => {
  const items = useResource(name, load, { everyMs: 15_000 });
  const [confirmation, setConfirmation] = useState<Confirmation>();
  const [hasForm, setHasForm] = useState(false);
  const [secret, setSecret] = useState<Secret>();
  return {
    items,
    confirm: setConfirmation,
    openForm: () => setHasForm(true),
    showSecret(shown) {
      setSecret(shown);
      items.reload();
    },
    dialogs: (form) => (
      <>
        {hasForm && form(() => setHasForm(false))}
        {confirmation && (
          <ConfirmDialog confirmation={confirmation} close={() => setConfirmation(undefined)} onDone={items.reload} />
        )}
        {secret && <SecretDialog secret={secret} close={() => setSecret(undefined)} />}
      </>
    ),
  };
};
