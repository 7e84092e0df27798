import { useId, useState } from 'preact/hooks';
import { ops } from '../api/client.ts';
import { Dialog } from '../components/dialog.tsx';
import { showNotice } from '../components/notices.tsx';

/** Without a position, the decision is about all parked events of the projection. */
export interface Decision {
  readonly action: 'retry' | 'discard';
  readonly projection: string;
  readonly position?: string;
}

interface DecisionDialogProps extends Decision {
  readonly close: () => void;
  readonly onDone: () => void;
}

export const DecisionDialog = ({ action, projection, position, close, onDone }: DecisionDialogProps) => {
  const reasonId = useId();
  const [reason, setReason] = useState('');
  const target = position === undefined ? `all events parked by ${projection}` : `event ${position} of ${projection}`;
  const selection = {
    projection,
    ...(position === undefined ? { all: true as const } : { positions: [position] }),
  };
  const retry = async () => {
    await ops.POST('/ops/v1/parked/retry', { body: selection });
    showNotice('good', `${projection} retries ${target}.`);
    onDone();
  };
  const discard = async () => {
    await ops.POST('/ops/v1/parked/discard', { body: { ...selection, reason: reason.trim() } });
    showNotice('good', `Discarded: ${target}.`);
    onDone();
  };
  return action === 'retry' ? (
    <Dialog title={`Retry ${target}?`} action="Retry" run={retry} close={close}>
      <p>
        The projection processes the event again. An event that fails again stays parked. Fix the cause before you
        retry.
      </p>
    </Dialog>
  ) : (
    <Dialog title={`Discard ${target}?`} action="Discard" isDangerous run={discard} close={close}>
      <p>The event stays in the log, but reports of this projection never contain it, not even after a replay.</p>
      <div class="field">
        <label for={reasonId}>Reason, stored with the event</label>
        <textarea
          id={reasonId}
          required
          maxLength={1_000}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </div>
    </Dialog>
  );
};
