import { overview } from '../state/live.ts';
import { addressOf, place } from '../state/place.ts';
import { knownText } from '../parts/numbers.ts';
import { ViewHead } from '../parts/view-head.tsx';
import { Parked } from './parked.tsx';
import { Quarantine } from './quarantine.tsx';

const kinds = [
  ['parked', 'Parked', 'parked'],
  ['quarantine', 'Quarantined', 'quarantined'],
] as const;

/** Events that stand in the log and in no report yet. */
export const SetAside = () => {
  const kind = place.value.query.get('kind') ?? 'parked';
  return (
    <section class="view">
      <ViewHead title="Set aside" about="Events that are safe in the log and in no report yet." />
      <nav class="segments" aria-label="Kind" style={{ justifySelf: 'start' }}>
        {kinds.map(([name, title, count]) => (
          <a
            key={name}
            href={addressOf('set-aside', '', { kind: name })}
            aria-current={kind === name ? 'true' : undefined}
          >
            {title}
            {overview.value && <span class="muted">{knownText(overview.value.counts[count])}</span>}
          </a>
        ))}
      </nav>
      {kind === 'quarantine' ? <Quarantine /> : <Parked />}
    </section>
  );
};
