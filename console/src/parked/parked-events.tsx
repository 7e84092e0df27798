import { useEffect, useState } from 'preact/hooks';
import { ViewHeader } from '../components/view.tsx';
import { formatKnown } from '../format/numbers.ts';
import { overview } from '../state/live-state.ts';
import { hrefTo, route } from '../state/route.ts';
import { ParkedList } from './parked-list.tsx';
import { Quarantine } from './quarantine.tsx';
import { UnknownReferences } from './unknown-references.tsx';

const kinds = [
  { name: 'parked', label: 'Parked', count: 'parked', Page: ParkedList },
  { name: 'quarantine', label: 'Quarantined', count: 'quarantined', Page: Quarantine },
  { name: 'unknown', label: 'Unknown ids', count: undefined, Page: UnknownReferences },
] as const;

export const ParkedEvents = () => {
  const { query } = route.value;
  const counts = overview.value?.counts;
  // Later counts do not change the kind with which the view opened.
  const [opened, setOpened] = useState<string>();
  const defaultKind = counts?.parked === 0 && (counts.quarantined ?? 0) > 0 ? 'quarantine' : 'parked';
  useEffect(() => {
    if (counts && opened === undefined) setOpened(defaultKind);
  }, [counts, opened]);
  const kind = query.get('kind') ?? (query.has('projection') ? 'parked' : (opened ?? defaultKind));
  const { Page } = kinds.find(({ name }) => name === kind) ?? kinds[0];
  return (
    <section class="view">
      <ViewHeader
        title="Parked events"
        about="Events that the log contains and reports lack, and ids that the registry lacks."
      />
      <nav class="segments" aria-label="Kind" style={{ justifySelf: 'start' }}>
        {kinds.map(({ name, label, count }) => (
          <a key={name} href={hrefTo('parked', '', { kind: name })} aria-current={kind === name ? 'true' : undefined}>
            {label}
            {counts && count && <span class="muted">{formatKnown(counts[count])}</span>}
          </a>
        ))}
      </nav>
      <Page />
    </section>
  );
};
