import { useState } from 'preact/hooks';
import { ops } from '../api/ops.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check } from '../parts/field.tsx';
import { tell } from '../state/news.ts';

const acts = {
  replay: {
    title: 'Replay',
    about:
      'A new generation is built from the whole log beside the live one. Readers notice nothing; they are moved to it once it has caught up. The old one is kept for a day, so that you can roll back.',
    done: 'The replay has begun; its progress is shown here.',
  },
  rollback: {
    title: 'Roll back',
    about: 'Readers are brought back to the generation that was live before, as soon as both stand at the same place.',
    done: 'Readers are being brought back.',
  },
  pause: {
    title: 'Pause',
    about: 'It stands still until you resume it. Vendors go on sending and nothing is lost, but reports grow old.',
    done: 'It stands still now.',
  },
  resume: {
    title: 'Resume',
    about: 'It goes on where it stood, and catches up with the log.',
    done: 'It goes on.',
  },
} as const;

export type Act = keyof typeof acts;

const send = (act: Act, name: string, verify: boolean): Promise<unknown> => {
  const params = { path: { name } };
  if (act === 'replay') return ops.POST('/ops/v1/projections/{name}/replay', { params, body: { verify } });
  if (act === 'rollback') return ops.POST('/ops/v1/projections/{name}/rollback', { params });
  return act === 'pause'
    ? ops.POST('/ops/v1/projections/{name}/pause', { params })
    : ops.POST('/ops/v1/projections/{name}/resume', { params });
};

interface ActDialogProps {
  readonly act: Act;
  readonly name: string;
  readonly close: () => void;
}

export const ActDialog = ({ act, name, close }: ActDialogProps) => {
  const { title, about, done } = acts[act];
  const [verify, setVerify] = useState(true);
  const doIt = async () => {
    await send(act, name, verify);
    tell('good', `${name}: ${done}`);
  };
  return (
    <Dialog title={`${title} ${name}?`} action={title} isGrave={act === 'rollback'} act={doIt} close={close}>
      <p>{about}</p>
      {act === 'replay' && (
        <Check label="Verify before readers are moved" isChecked={verify} choose={setVerify}>
          Both generations are compared row by row, by network and day. If they differ, readers stay where they are and
          the differences are listed.
        </Check>
      )}
    </Dialog>
  );
};
