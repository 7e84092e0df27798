import { useState } from 'preact/hooks';
import { ops } from '../api/ops.ts';
import type { Replay } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Meter } from '../parts/meter.tsx';
import { durationText, percentText, wholeText } from '../parts/numbers.ts';
import { now } from '../state/clock.ts';
import { tell } from '../state/news.ts';

const steps = [
  ['planned', 'Planned'],
  ['building', 'Building'],
  ['catching_up', 'Catching up'],
  ['verifying', 'Verifying'],
  ['switching', 'Moving readers'],
] as const;

/** How fast it was so far, and how long it takes if it goes on like this. */
const pace = ({ events, total, started_at }: Replay, nowMs: number): string => {
  const seconds = started_at === null ? 0 : (nowMs - Date.parse(started_at)) / 1_000;
  if (seconds < 1 || events === 0) return '';
  const perSecond = events / seconds;
  const left = total === null || total <= events ? '' : `, about ${durationText((total - events) / perSecond)} left`;
  return `${wholeText(Math.round(perSecond))} events/s${left}`;
};

export const RunningReplay = ({ replay }: { readonly replay: Replay }) => {
  const [asksToCancel, setAsksToCancel] = useState(false);
  const { id, projection, kind, from_generation: from, to_generation: to, state, events, total, verify } = replay;
  const share = total === null || total === 0 ? undefined : Math.min(1, events / total);
  const at = steps.findIndex(([name]) => name === state);
  return (
    <section class="card" aria-label={`${kind} of ${projection}`}>
      <div class="card-head">
        <h2>
          {kind === 'rollback' ? 'Rolling back' : 'Replaying'} {projection}{' '}
          <span class="muted">
            generation {from} → {to}
          </span>
        </h2>
        <Button size="small" aria-label={`Cancel the ${kind} of ${projection}`} onClick={() => setAsksToCancel(true)}>
          Cancel
        </Button>
      </div>
      <Meter label={`Progress of ${projection}`} share={share} />
      <p class="card-head muted">
        <span>
          {wholeText(events)}
          {total !== null && ` of ${wholeText(total)}`} events{share !== undefined && ` · ${percentText(share)}`}
        </span>
        <span>{pace(replay, now.value)}</span>
      </p>
      <ol class="steps">
        {steps
          .filter(([name]) => verify || name !== 'verifying')
          .map(([name, text]) => {
            const isPast = steps.findIndex(([each]) => each === name) < at;
            return (
              <li key={name} aria-current={name === state ? 'step' : undefined}>
                <Icon name={isPast ? 'good' : name === state ? 'half' : 'circle'} size={16} />
                {text}
              </li>
            );
          })}
      </ol>
      {asksToCancel && (
        <Dialog
          title={`Cancel the ${kind} of ${projection}?`}
          action={`Cancel the ${kind}`}
          isGrave
          close={() => setAsksToCancel(false)}
          act={async () => {
            await ops.DELETE('/ops/v1/replays/{id}', { params: { path: { id } } });
            tell('good', `${projection}: it is being cancelled; readers stay where they are.`);
          }}
        >
          <p>What was built so far is dropped. Readers stay on generation {from}.</p>
        </Dialog>
      )}
    </section>
  );
};
