import { useId, useState } from 'preact/hooks';
import { ops } from '../api/ops.ts';
import type { paths } from '../generated/ops.ts';
import { Dialog } from '../parts/dialog.tsx';
import { tell } from '../state/news.ts';

type ParkedOf = NonNullable<
  paths['/ops/v1/parked/retry']['post']['requestBody']
>['content']['application/json']['projection'];

/** What is to be done with one event, or with all of a projection. */
export interface Chosen {
  readonly act: 'retry' | 'discard';
  readonly projection: string;
  readonly position?: string;
}

interface ParkedActProps extends Chosen {
  readonly close: () => void;
  readonly done: () => void;
}

export const ParkedAct = ({ act, projection, position, close, done }: ParkedActProps) => {
  const field = useId();
  const [reason, setReason] = useState('');
  const which = position === undefined ? `all events parked by ${projection}` : `event ${position} of ${projection}`;
  const whose = {
    projection: projection as ParkedOf,
    ...(position === undefined ? { all: true as const } : { positions: [position] }),
  };
  const doIt = async () => {
    if (act === 'retry') await ops.POST('/ops/v1/parked/retry', { body: whose });
    else await ops.POST('/ops/v1/parked/discard', { body: { ...whose, reason: reason.trim() } });
    tell('good', act === 'retry' ? `${projection} tries it again in a moment.` : `Discarded: ${which}.`);
    done();
  };
  return act === 'retry' ? (
    <Dialog title={`Retry ${which}?`} action="Retry" act={doIt} close={close}>
      <p>
        It is folded again, in the order of the log, with what its stream holds behind it. What fails again stays
        parked. Do so after what stood in its way was mended.
      </p>
    </Dialog>
  ) : (
    <Dialog title={`Discard ${which}?`} action="Discard" isGrave act={doIt} close={close}>
      <p>It stays in the log, but no report of this projection will ever have it, replays included.</p>
      <div class="field">
        <label for={field}>Reason, for those who ask later</label>
        <textarea
          id={field}
          required
          maxLength={1_000}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </div>
    </Dialog>
  );
};
