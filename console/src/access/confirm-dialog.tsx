import type { ComponentChildren } from 'preact';
import { Dialog } from '../components/dialog.tsx';
import { showNotice } from '../components/notices.tsx';

export interface Confirmation {
  readonly title: string;
  /** The label of the button. */
  readonly action: string;
  readonly about: ComponentChildren;
  readonly isDangerous?: boolean;
  readonly run: () => Promise<unknown>;
  /** The notice after success; none if undefined. */
  readonly done?: string;
}

interface ConfirmDialogProps {
  readonly confirmation: Confirmation;
  readonly close: () => void;
  readonly onDone: () => void;
}

/** Asks before an action that cannot be undone. */
export const ConfirmDialog = ({ confirmation, close, onDone }: ConfirmDialogProps) => {
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
