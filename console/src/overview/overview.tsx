import { Chart } from '../parts/chart.tsx';
import { durationText, shortText } from '../parts/numbers.ts';
import { Bones } from '../parts/states.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { overview } from '../state/live.ts';
import type { Overview as Told } from '../api/shapes.ts';
import { Counts } from './counts.tsx';
import { headline } from './headline.ts';
import { Problems } from './problems.tsx';
import { RefusedBy } from './refused-by.tsx';

const rate = (value: number | null): string => (value === null ? '–' : shortText(value));

const Charts = ({ told }: { readonly told: Told }) => {
  const times = told.history.map(({ minute }) => Date.parse(minute));
  const { freshness_seconds: freshness, lag_events: lag } = told;
  return (
    <div class="tiles">
      <Chart
        title="Accepted"
        value={rate(told.accepted_per_minute)}
        unit="events a minute"
        times={times}
        values={told.history.map(({ accepted }) => accepted)}
        text={shortText}
      />
      <Chart
        title="Refused"
        tone="bad"
        value={rate(told.refused_per_minute)}
        unit="a minute"
        times={times}
        values={told.history.map(({ refused }) => refused)}
        text={shortText}
      />
      <Chart
        title="Lag"
        value={rate(lag)}
        unit="events to come"
        times={times}
        values={told.history.map(({ lag_events }) => lag_events)}
        text={shortText}
      />
      <Chart
        title="Freshness"
        value={freshness === null ? '–' : durationText(freshness)}
        unit="until it is in reports"
        times={times}
        values={told.history.map(({ freshness_seconds }) => freshness_seconds)}
        text={durationText}
      />
    </div>
  );
};

/** How the service fares, at one look. */
export const Overview = () => {
  const told = overview.value;
  return (
    <section class="view">
      <ViewHead title="Overview" about={told && headline(told)} />
      {told ? (
        <>
          <Problems problems={told.problems} />
          <Charts told={told} />
          <Counts counts={told.counts} />
          <RefusedBy told={told} />
        </>
      ) : (
        <Bones lines={9} />
      )}
    </section>
  );
};
