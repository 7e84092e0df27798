import { ViewHeader } from '../components/view.tsx';
import { formatKnown } from '../format/numbers.ts';
import { overview } from '../state/live-stream.ts';
import { hrefTo, route } from '../state/route.ts';
import { ParkedList } from './parked-list.tsx';
import { Quarantine } from './quarantine.tsx';

const kinds = [
  ['parked', 'Parked', 'parked'],
  ['quarantine', 'Quarantined', 'quarantined'],
] as const;

/**
 * Shows either the parked events, which a projection could not process, or the quarantined events, which wait for a mapping or for
 * the registration of a screen.
 */
export const ParkedEvents = () => {
  const kind = route.value.query.get('kind') ?? 'parked';
  const counts = overview.value?.counts;
  return (
    <section class="view">
      <ViewHeader title="Parked events" about="Events that the log contains and reports lack." />
      <nav class="segments" aria-label="Kind" style={{ justifySelf: 'start' }}>
        {kinds.map(([name, label, count]) => (
          <a key={name} href={hrefTo('parked', '', { kind: name })} aria-current={kind === name ? 'true' : undefined}>
            {label}
            {counts && <span class="muted">{formatKnown(counts[count])}</span>}
          </a>
        ))}
      </nav>
      {kind === 'quarantine' ? <Quarantine /> : <ParkedList />}
    </section>
  );
};
