import type { Projection } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { replays } from '../state/live.ts';
import type { Act } from './act-dialog.tsx';

/** They follow the log without tables of their own: there is nothing to build anew. */
const followers: ReadonlySet<string> = new Set(['relay', 'liveness']);

interface ActsProps {
  readonly projection: Projection;
  readonly choose: (act: Act) => void;
}

export const Acts = ({ projection: { name, state, kept }, choose }: ActsProps) => {
  if (followers.has(name)) return null;
  const isBusy = replays.value.some((replay) => replay.name === name);
  const act = (which: Act, text: string, disabled = false) => (
    <Button size="small" disabled={disabled} aria-label={`${text} ${name}`} onClick={() => choose(which)}>
      {text}
    </Button>
  );
  return (
    <div class="buttons">
      {act('replay', 'Replay', isBusy)}
      {kept !== null && act('rollback', 'Roll back', isBusy)}
      {state === 'paused' ? act('resume', 'Resume') : act('pause', 'Pause')}
    </div>
  );
};
