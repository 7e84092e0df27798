import type { Replay } from '../api/shapes.ts';
import { Meter } from '../parts/meter.tsx';
import { durationText, percentText, wholeText } from '../parts/numbers.ts';

const steps: Readonly<Record<NonNullable<Replay['step']>['name'], readonly [about: string, unit: string]>> = {
  rows: ['Comparing with what is live', 'rows'],
  log: ['Counting the log', 'events'],
};

/** How fast it was so far, and how long it takes if it goes on like this. */
const pace = ({ events_per_second: perSecond, seconds_left: left }: Replay): string =>
  perSecond === 0 ? '' : `${wholeText(perSecond)} events/s${left === null ? '' : `, about ${durationText(left)} left`}`;

const shareOf = (done: number, of: number | null) => (of === null || of === 0 ? undefined : Math.min(1, done / of));

interface Figures {
  readonly done: number;
  readonly of: number | null;
  readonly unit: string;
  readonly beside: string;
}

/** Of folding, or of what is done besides: each has its own meter, so that none stands full while there is work left. */
const figuresOf = (replay: Replay): Figures => {
  const { step, events, total_events: total } = replay;
  if (!step) return { done: events, of: total, unit: 'events', beside: pace(replay) };
  const [about, unit] = steps[step.name];
  return { done: step.done, of: step.of, unit, beside: about };
};

export const ReplayMeter = ({ replay }: { readonly replay: Replay }) => {
  const { done, of, unit, beside } = figuresOf(replay);
  const share = shareOf(done, of);
  return (
    <>
      <Meter label={`Progress of ${replay.name}`} share={share} />
      <p class="card-head muted">
        <span>
          {wholeText(done)}
          {of !== null && ` of ${wholeText(of)}`} {unit}
          {share !== undefined && ` · ${percentText(share)}`}
        </span>
        <span>{beside}</span>
      </p>
    </>
  );
};
