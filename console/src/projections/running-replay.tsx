import { useState } from 'preact/hooks';
import { ops } from '../api/client.ts';
import type { Replay } from '../api/types.ts';
import { Button } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { Meter } from '../components/indicators.tsx';
import { showNotice } from '../components/notices.tsx';
import { formatDuration, formatPercent, formatWhole } from '../format/numbers.ts';

interface ReplayProps {
  readonly replay: Replay;
}

/** `unit` is what the progress of a step counts. */
const stepLabels: Readonly<Record<NonNullable<Replay['step']>['name'], readonly [about: string, unit: string]>> = {
  days: ['Deriving rows from stored facts', 'days'],
  rows: ['Comparing with the live generation', 'rows'],
};

const paceText = ({ events_per_second: perSecond, seconds_left: secondsLeft, source }: Replay): string =>
  perSecond === 0
    ? ''
    : `${formatWhole(perSecond)} ${source === 'facts' ? 'facts' : 'events'}/s${secondsLeft === null ? '' : `, about ${formatDuration(secondsLeft)} left`}`;

interface Progress {
  readonly done: number;
  readonly total: number | null;
  readonly unit: string;
  readonly note: string;
}

const progressOf = (replay: Replay): Progress => {
  const { step, events, total_events } = replay;
  if (!step) return { done: events, total: total_events, unit: 'events', note: paceText(replay) };
  const [about, unit] = stepLabels[step.name];
  const rest = step.name === 'days' ? paceText(replay) : '';
  return { done: step.done, total: step.of, unit, note: rest === '' ? about : `${about}, ${rest}` };
};

const ReplayMeter = ({ replay }: ReplayProps) => {
  const { done, total, unit, note } = progressOf(replay);
  const share = total === null || total === 0 ? undefined : Math.min(1, done / total);
  return (
    <>
      <Meter label={`Progress of ${replay.name}`} share={share} />
      <p class="card-head muted">
        <span>
          {formatWhole(done)}
          {total !== null && ` of ${formatWhole(total)}`} {unit}
          {share !== undefined && ` · ${formatPercent(share)}`}
        </span>
        <span>{note}</span>
      </p>
    </>
  );
};

const phases = [
  ['planned', 'Planned'],
  ['building', 'Building'],
  ['catching_up', 'Catching up'],
  ['verifying', 'Verifying'],
  ['switching', 'Switching'],
] as const;

const ReplayPhases = ({ replay: { state, verify } }: ReplayProps) => {
  const current = phases.findIndex(([phase]) => phase === state);
  return (
    <ol class="steps">
      {phases.map(
        ([phase, label], index) =>
          (verify || phase !== 'verifying') && (
            <li key={phase} aria-current={index === current ? 'step' : undefined}>
              <Icon name={index < current ? 'good' : index === current ? 'half' : 'circle'} size={16} />
              {label}
            </li>
          ),
      )}
    </ol>
  );
};

interface CancelDialogProps extends ReplayProps {
  readonly close: () => void;
}

const CancelDialog = ({ replay: { id, kind, name, from_generation }, close }: CancelDialogProps) => {
  const run = async () => {
    await ops.DELETE('/ops/v1/replays/{id}', { params: { path: { id: String(id) } } });
    showNotice('good', `${name}: cancelling; readers stay on the live generation.`);
  };
  return (
    <Dialog title={`Cancel the ${kind} of ${name}?`} action={`Cancel the ${kind}`} isDangerous close={close} run={run}>
      <p>Drops the new generation. Readers stay on generation {from_generation}.</p>
    </Dialog>
  );
};

export const RunningReplay = ({ replay }: ReplayProps) => {
  const [isConfirming, setIsConfirming] = useState(false);
  const { name, kind, from_generation: from, to_generation: to } = replay;
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
          needs="operator"
          disabled={replay.is_cancelling}
          aria-label={`Cancel the ${kind} of ${name}`}
          onClick={() => setIsConfirming(true)}
        >
          {replay.is_cancelling ? 'Cancelling …' : 'Cancel'}
        </Button>
      </div>
      <ReplayMeter replay={replay} />
      <ReplayPhases replay={replay} />
      {replay.error !== null && <div class="error-box">{replay.error}</div>}
      {isConfirming && <CancelDialog replay={replay} close={() => setIsConfirming(false)} />}
    </section>
  );
};
