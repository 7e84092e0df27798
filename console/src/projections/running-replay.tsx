import { useState } from 'preact/hooks';
import { ops } from '../api/ops.ts';
import type { Replay } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { tell } from '../state/news.ts';
import { ReplayMeter } from './replay-meter.tsx';

const steps = [
  ['planned', 'Planned'],
  ['building', 'Building'],
  ['catching_up', 'Catching up'],
  ['verifying', 'Verifying'],
  ['switching', 'Moving readers'],
] as const;

export const RunningReplay = ({ replay }: { readonly replay: Replay }) => {
  const [asksToCancel, setAsksToCancel] = useState(false);
  const { id, name, kind, from_generation: from, to_generation: to, state, verify } = replay;
  const at = steps.findIndex(([step]) => step === state);
  return (
    <section class="card" aria-label={`${kind} of ${name}`}>
      <div class="card-head">
        <h2>
          {kind === 'rollback' ? 'Rolling back' : 'Replaying'} {name}{' '}
          <span class="muted">
            generation {from} → {to}
          </span>
        </h2>
        <Button
          size="small"
          disabled={replay.is_cancelling}
          aria-label={`Cancel the ${kind} of ${name}`}
          onClick={() => setAsksToCancel(true)}
        >
          {replay.is_cancelling ? 'Cancelling …' : 'Cancel'}
        </Button>
      </div>
      <ReplayMeter replay={replay} />
      <ol class="steps">
        {steps
          .filter(([step]) => verify || step !== 'verifying')
          .map(([step, text]) => {
            const isPast = steps.findIndex(([each]) => each === step) < at;
            return (
              <li key={step} aria-current={step === state ? 'step' : undefined}>
                <Icon name={isPast ? 'good' : step === state ? 'half' : 'circle'} size={16} />
                {text}
              </li>
            );
          })}
      </ol>
      {replay.error !== null && <div class="wrong">{replay.error}</div>}
      {asksToCancel && (
        <Dialog
          title={`Cancel the ${kind} of ${name}?`}
          action={`Cancel the ${kind}`}
          isGrave
          close={() => setAsksToCancel(false)}
          act={async () => {
            await ops.DELETE('/ops/v1/replays/{id}', { params: { path: { id: String(id) } } });
            tell('good', `${name}: it is being cancelled; readers stay where they are.`);
          }}
        >
          <p>What was built so far is dropped. Readers stay on generation {from}.</p>
        </Dialog>
      )}
    </section>
  );
};
