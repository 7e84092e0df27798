import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../components/controls.tsx';
import { Brand, Icon } from '../components/icon.tsx';
import { Notices } from '../components/notices.tsx';
import { formatCompact } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { browserZone, zoneMode, zoneModes } from '../format/time-zone.ts';
import { connection, followState, overview } from '../state/live-state.ts';
import { operator } from '../state/operator.ts';
import { hrefTo, route } from '../state/route.ts';
import { CurrentView, views } from './routes.tsx';
import { signOut } from './session.ts';
import { ShortcutsDialog, useShortcuts } from './shortcuts.tsx';
import { ThemeSwitch } from './theme.tsx';

const connectionLabels = { connecting: 'Connecting', live: 'Live', lost: 'Not connected' } as const;

const ConnectionState = () => (
  <span class="connection" data-state={connection.value.state} role="status">
    {connectionLabels[connection.value.state]}
  </span>
);

const zoneLabels = { browser: browserZone, site: 'Site time', utc: 'UTC' } as const;
/** If the zone of the browser is UTC, the modes `browser` and `utc` show the same times. */
const shownModes = zoneModes.filter((mode) => mode !== 'utc' || browserZone !== 'UTC');

const ZoneSelect = () => (
  <select
    class="zone-select"
    aria-label="Time zone"
    title="Time zone of all times. Site time: that of the site; other times stay in the zone of the browser."
    value={shownModes.find((mode) => mode === zoneMode.value) ?? 'browser'}
    onChange={({ currentTarget }) => {
      zoneMode.value = zoneModes.find((mode) => mode === currentTarget.value) ?? 'browser';
    }}
  >
    {shownModes.map((mode) => (
      <option key={mode} value={mode}>
        {zoneLabels[mode]}
      </option>
    ))}
  </select>
);

const ConnectionLost = () => {
  const { state, sinceMs } = connection.value;
  if (state !== 'lost') return null;
  return (
    <p class="connection-lost">
      The service does not answer. This page shows the state of <Ago at={new Date(sinceMs).toISOString()} /> and
      reconnects automatically.
    </p>
  );
};

const pendingCount = (view: string): number => {
  const { counts, problems = [] } = overview.value ?? {};
  if (view === 'overview') return problems.length;
  if (view === 'parked') return (counts?.parked ?? 0) + (counts?.quarantined ?? 0);
  return 0;
};

const PendingCount = ({ view }: { readonly view: string }) => {
  const count = pendingCount(view);
  if (count === 0) return null;
  return (
    <span class="nav-count">
      {formatCompact(count)}
      <span class="visually-hidden">
        {view === 'overview' ? ' problem' : ' event'}
        {count !== 1 && 's'}
      </span>
    </span>
  );
};

const SignedIn = () => {
  const { account, role } = operator.value ?? { account: null, role: 'viewer' };
  return (
    <span class="signed-in" title={`Role: ${role}`}>
      {account ?? 'operator token'}
      <span class="sub">{role}</span>
    </span>
  );
};

/** On narrow screens, the links are a row that scrolls. */
const Navigation = () => {
  const list = useRef<HTMLUListElement>(null);
  const { view } = route.value;
  useEffect(() => {
    const showCurrent = () => {
      const [row, link] = [list.current, list.current?.querySelector<HTMLElement>('[aria-current]')];
      if (row && link) row.scrollLeft = link.offsetLeft - (row.clientWidth - link.clientWidth) / 2;
    };
    showCurrent();
    addEventListener('resize', showCurrent);
    return () => removeEventListener('resize', showCurrent);
  }, [view]);
  return (
    <nav class="nav" aria-label="Views">
      <ul ref={list}>
        {views.map(({ path, icon, title }) => (
          <li key={path}>
            <a href={hrefTo(path)} aria-current={route.value.view === path ? 'page' : undefined}>
              <Icon name={icon} />
              <span class="nav-title">{title}</span>
              <PendingCount view={path} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

export const Shell = () => {
  const main = useRef<HTMLElement>(null);
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  useEffect(() => followState(), []);
  useShortcuts(() => setShowsShortcuts(true));
  const { view, id } = route.value;
  const shownView = useRef(`${view}/${id}`);
  // Screen readers start at the focus. A layout effect runs before the browser paints, so the focus does not move after a key press
  // in the new view.
  useLayoutEffect(() => {
    if (shownView.current === `${view}/${id}`) return;
    shownView.current = `${view}/${id}`;
    setShowsShortcuts(false);
    scrollTo(0, 0);
    main.current?.focus();
  }, [view, id]);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href={hrefTo('overview')}>
          <Brand />
        </a>
        <ConnectionState />
        <span class="wide-only">
          <IconButton icon="keys" label="Keyboard shortcuts" onClick={() => setShowsShortcuts(true)} />
        </span>
        <ZoneSelect />
        <ThemeSwitch />
        <SignedIn />
        <IconButton icon="leave" label="Sign out" onClick={() => void signOut()} />
      </header>
      <Navigation />
      <main class="main" id="main" ref={main} tabIndex={-1}>
        <ConnectionLost />
        <CurrentView />
      </main>
      <Notices />
      {showsShortcuts && <ShortcutsDialog close={() => setShowsShortcuts(false)} />}
    </div>
  );
};
