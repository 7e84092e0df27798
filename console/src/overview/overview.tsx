import type { Overview as OverviewData } from '../api/types.ts';
import { LineChart } from '../charts/line-chart.tsx';
import { Badge, Meter } from '../components/indicators.tsx';
import { Problems } from '../components/problems.tsx';
import { Skeleton, ViewHeader } from '../components/view.tsx';
import {
  formatCount,
  formatDuration,
  formatKnown,
  formatPercent,
  formatShort,
  formatWhole,
} from '../format/numbers.ts';
import { formatTimeOfDay } from '../format/time.tsx';
import { overview } from '../state/live-state.ts';
import { hrefTo } from '../state/route.ts';

interface OverviewProps {
  readonly data: OverviewData;
}

const summary = ({ now, accepted_last_hour: accepted, refused_last_hour: refused }: OverviewData): string =>
  `${formatKnown(accepted)} events accepted, ${formatKnown(refused)} refused in the last hour; as of ${formatTimeOfDay(Date.parse(now))}`;

const shortOrDash = (value: number | null): string => (value === null ? '–' : formatShort(value));

const Charts = ({ data }: OverviewProps) => {
  const { history, freshness_seconds: freshness } = data;
  const times = history.map(({ minute }) => Date.parse(minute));
  return (
    <div class="tiles">
      <LineChart
        title="Accepted"
        value={shortOrDash(data.accepted_per_minute)}
        unit="events a minute"
        times={times}
        values={history.map(({ accepted }) => accepted)}
      />
      <LineChart
        title="Refused"
        tone="bad"
        value={shortOrDash(data.refused_per_minute)}
        unit="events a minute"
        times={times}
        values={history.map(({ refused }) => refused)}
      />
      <LineChart
        title="Peak lag"
        value={shortOrDash(data.lag_events)}
        unit="events behind now"
        valueUnit="events behind at most"
        times={times}
        values={history.map(({ lag_events }) => lag_events)}
      />
      <LineChart
        title="Freshness"
        value={freshness === null ? '–' : formatDuration(freshness)}
        unit="behind now"
        valueUnit="behind at most"
        times={times}
        values={history.map(({ freshness_seconds }) => freshness_seconds)}
        isDuration
      />
    </div>
  );
};

const isUnused = ({ accepted_last_hour: accepted, refused_last_hour: refused, counts }: OverviewData): boolean =>
  accepted === 0 &&
  refused === 0 &&
  counts.quarantined === 0 &&
  counts.devices !== null &&
  counts.devices === counts.never_seen;

const FirstSteps = ({ data: { counts } }: OverviewProps) => (
  <section class="card">
    <div class="card-head">
      <h2>No events yet</h2>
      <span class="muted">None in the last hour, and no device has sent a heartbeat.</span>
    </div>
    <ol class="first-steps">
      <li>
        <a href={hrefTo('registry')}>Register the networks</a> with their vendors, sites, devices and screens.{' '}
        {(counts.networks ?? 0) > 0 && <Badge tone="good" text={formatCount(counts.networks ?? 0, 'network')} />}
      </li>
      <li>
        <a href={hrefTo('access')}>Create an API key</a> for each vendor.
      </li>
      <li>
        Let the vendors send plays and heartbeats with their keys. This page then shows charts. To try it out,{' '}
        <code>npm run simulate</code> sends sample events.
      </li>
    </ol>
  </section>
);

interface CountProps {
  readonly name: string;
  readonly value: number | null;
  readonly href: string;
  /** Used if the value is above 0. */
  readonly tone?: 'warn' | 'bad';
}

const Count = ({ name, value, href, tone }: CountProps) => (
  <a href={href}>
    <span class="count-name">{name}</span>
    <span class="count-value" data-tone={(value ?? 0) > 0 ? tone : undefined}>
      {formatKnown(value)}
    </span>
  </a>
);

const parkedHref = (kind: 'parked' | 'quarantine') => hrefTo('parked', '', { kind });

const Counts = ({ data: { counts } }: OverviewProps) => (
  <nav class="counts" aria-label="Counts">
    <Count name="Devices" value={counts.devices} href={hrefTo('devices')} />
    <Count name="Online" value={counts.online} href={hrefTo('devices', '', { status: 'online' })} />
    <Count name="Offline" value={counts.offline} href={hrefTo('devices', '', { status: 'offline' })} tone="warn" />
    <Count name="Never seen" value={counts.never_seen} href={hrefTo('devices', '', { status: 'never' })} />
    <Count name="Open outages" value={counts.open_outages} href={hrefTo('outages', '', { open: 'true' })} tone="warn" />
    <Count name="Parked" value={counts.parked} href={parkedHref('parked')} tone="bad" />
    <Count name="Quarantined" value={counts.quarantined} href={parkedHref('quarantine')} tone="warn" />
    <Count name="Jobs running" value={counts.running_jobs} href={hrefTo('jobs', '', { status: 'processing' })} />
    <Count name="Jobs failed" value={counts.failed_jobs} href={hrefTo('jobs', '', { status: 'failed' })} tone="bad" />
    <Count name="Replays running" value={counts.running_replays} href={hrefTo('projections')} />
  </nav>
);

const RefusalReasons = ({ data: { refused_by: reasons } }: OverviewProps) => {
  if (reasons.length === 0) return null;
  const total = Math.max(
    1,
    reasons.reduce((sum, { events }) => sum + events, 0),
  );
  return (
    <section class="card">
      <div class="card-head">
        <h2>Refused in the last hour, by reason</h2>
      </div>
      <ul>
        {reasons.map(({ code, events }) => (
          <li key={code} class="share">
            <code>{code}</code>
            <span>
              {formatWhole(events)} <span class="muted">{formatPercent(events / total)}</span>
            </span>
            <Meter label={`Share of ${code}`} share={events / total} tone="bad" />
          </li>
        ))}
      </ul>
    </section>
  );
};

export const Overview = () => {
  const data = overview.value;
  return (
    <section class="view">
      <ViewHeader title="Overview" about={data && summary(data)} />
      {data ? (
        <>
          <Problems
            problems={data.problems}
            allClear="No problems: all projections run, and no event waits for a decision."
          />
          <p class="muted">
            The <a href={hrefTo('doctor')}>doctor</a> also runs checks that take longer, such as for unknown ids in
            plays, and may list more problems.
          </p>
          {isUnused(data) ? <FirstSteps data={data} /> : <Charts data={data} />}
          <Counts data={data} />
          <RefusalReasons data={data} />
        </>
      ) : (
        <Skeleton lines={9} />
      )}
    </section>
  );
};
