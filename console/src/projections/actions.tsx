import { useState } from 'preact/hooks';
import { ops } from '../api/client.ts';
import type { Projection } from '../api/types.ts';
import { Button, Checkbox } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { showNotice } from '../components/notices.tsx';
import { replays } from '../state/live-state.ts';

const actions = {
  replay: {
    title: 'Replay',
    about:
      'Builds a new generation of the tables from the whole log. Readers use the live generation until the new one has caught up. The old generation is kept for a day, so that you can roll back.',
    done: 'The replay has started. This page shows its progress.',
  },
  rollback: {
    title: 'Roll back',
    about:
      'Switches readers back to the previous generation as soon as both generations have processed the same events.',
    done: 'The rollback has started.',
  },
  pause: {
    title: 'Pause',
    about: 'Stops the projection until you resume it. The service still accepts events, but reports get out of date.',
    done: 'Paused.',
  },
  resume: {
    title: 'Resume',
    about: 'Continues at the checkpoint and catches up with the log.',
    done: 'Resumed.',
  },
} as const;

export type ProjectionAction = keyof typeof actions;

const withoutTables: ReadonlySet<string> = new Set(['relay', 'liveness', 'notices', 'webhooks']);

interface ProjectionActionsProps {
  readonly projection: Projection;
  readonly choose: (action: ProjectionAction) => void;
}

export const ProjectionActions = ({ projection: { name, state, kept }, choose }: ProjectionActionsProps) => {
  if (withoutTables.has(name)) return <span class="muted">No tables to replay</span>;
  const isReplaying = replays.value.some((replay) => replay.name === name);
  const button = (action: ProjectionAction, isDisabled = false) => {
    const { title } = actions[action];
    return (
      <Button
        size="small"
        needs="operator"
        disabled={isDisabled}
        aria-label={`${title} ${name}`}
        onClick={() => choose(action)}
      >
        {title}
      </Button>
    );
  };
  return (
    <div class="buttons">
      {button('replay', isReplaying)}
      {kept !== null && button('rollback', isReplaying)}
      {button(state === 'paused' ? 'resume' : 'pause')}
    </div>
  );
};

const requestAction = (action: ProjectionAction, name: string, verify: boolean): Promise<unknown> => {
  const params = { path: { name } };
  switch (action) {
    case 'replay':
      return ops.POST('/ops/v1/projections/{name}/replay', { params, body: { verify } });
    case 'rollback':
      return ops.POST('/ops/v1/projections/{name}/rollback', { params });
    case 'pause':
      return ops.POST('/ops/v1/projections/{name}/pause', { params });
    case 'resume':
      return ops.POST('/ops/v1/projections/{name}/resume', { params });
  }
};

interface ProjectionActionDialogProps {
  readonly action: ProjectionAction;
  readonly name: string;
  readonly close: () => void;
}

export const ProjectionActionDialog = ({ action, name, close }: ProjectionActionDialogProps) => {
  const { title, about, done } = actions[action];
  const [verify, setVerify] = useState(true);
  const run = async () => {
    await requestAction(action, name, verify);
    showNotice('good', `${name}: ${done}`);
  };
  return (
    <Dialog title={`${title} ${name}?`} action={title} isDangerous={action === 'rollback'} run={run} close={close}>
      <p>{about}</p>
      {action === 'replay' && (
        <Checkbox label="Verify before the switch" isChecked={verify} onToggle={setVerify}>
          Compares the rows of both generations by network and day. If they differ, readers stay on the live generation
          and the differences are listed.
        </Checkbox>
      )}
    </Dialog>
  );
};
