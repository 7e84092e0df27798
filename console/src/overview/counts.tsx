import type { Overview } from '../api/shapes.ts';
import { Count } from '../parts/count.tsx';
import { addressOf } from '../state/place.ts';

/** What there is, each leading to the list of it. */
export const Counts = ({ counts }: { readonly counts: Overview['counts'] }) => (
  <nav class="counts" aria-label="Counts">
    <Count name="Devices" value={counts.devices} to={addressOf('devices')} />
    <Count name="Online" value={counts.online} to={addressOf('devices', '', { status: 'online' })} />
    <Count name="Offline" value={counts.offline} to={addressOf('devices', '', { status: 'offline' })} tone="warn" />
    <Count name="Never heard" value={counts.never_heard} to={addressOf('devices', '', { status: 'never' })} />
    <Count name="Open outages" value={counts.open_outages} to={addressOf('completeness')} tone="warn" />
    <Count name="Parked" value={counts.parked} to={addressOf('set-aside', '', { kind: 'parked' })} tone="bad" />
    <Count
      name="Quarantined"
      value={counts.quarantined}
      to={addressOf('set-aside', '', { kind: 'quarantine' })}
      tone="warn"
    />
    <Count name="Jobs running" value={counts.running_jobs} to={addressOf('jobs', '', { status: 'processing' })} />
    <Count name="Jobs failed" value={counts.failed_jobs} to={addressOf('jobs', '', { status: 'failed' })} tone="bad" />
    <Count name="Replays running" value={counts.running_replays} to={addressOf('projections')} />
  </nav>
);
