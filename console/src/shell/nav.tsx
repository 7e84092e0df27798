import { Icon } from '../parts/icon.tsx';
import { compactText } from '../parts/numbers.ts';
import { overview } from '../state/live.ts';
import { addressOf, place } from '../state/place.ts';
import { views } from './views.ts';

/** What waits for somebody in a room, where there is something. */
const waitingIn = (name: string): number => {
  const { counts, problems = [] } = overview.value ?? {};
  if (name === 'overview') return problems.length;
  if (name === 'set-aside') return (counts?.parked ?? 0) + (counts?.quarantined ?? 0);
  return 0;
};

const Waiting = ({ name }: { readonly name: string }) => {
  const count = waitingIn(name);
  if (count === 0) return null;
  return (
    <span class="nav-count">
      {compactText(count)}
      <span class="unseen">{name === 'overview' ? ' problems' : ' events'}</span>
    </span>
  );
};

export const Nav = () => (
  <nav class="nav" aria-label="Views">
    <ul>
      {views.map(({ name, title, short }) => (
        <li key={name}>
          <a href={addressOf(name)} aria-current={place.value.view === name ? 'page' : undefined}>
            <Icon name={name} />
            <span class="nav-title" data-short={short}>
              {title}
            </span>
            <Waiting name={name} />
          </a>
        </li>
      ))}
    </ul>
  </nav>
);
