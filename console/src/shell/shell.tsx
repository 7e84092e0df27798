import { useEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../parts/button.tsx';
import { openLive } from '../state/live.ts';
import { addressOf, place } from '../state/place.ts';
import { Brand } from './brand.tsx';
import { LinkState, LostStrip } from './link-state.tsx';
import { Nav } from './nav.tsx';
import { Notices } from './notices.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { signOut } from './sign-in.ts';
import { ThemeSwitch } from './theme-switch.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { View } from './view.tsx';

/** What stands around every view. */
export const Shell = () => {
  const main = useRef<HTMLElement>(null);
  const [showsKeys, setShowsKeys] = useState(false);
  useEffect(() => openLive(), []);
  useShortcuts(() => setShowsKeys(true));
  const { view, id } = place.value;
  const shown = useRef(`${view}/${id}`);
  useEffect(() => {
    // Another view begins at its top, also for those who hear the page.
    if (shown.current === `${view}/${id}`) return;
    shown.current = `${view}/${id}`;
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
        <a class="brand" href={addressOf('overview')}>
          <Brand />
        </a>
        <LinkState />
        <span class="wide-only">
          <IconButton icon="keys" label="Keyboard shortcuts" onClick={() => setShowsKeys(true)} />
        </span>
        <ThemeSwitch />
        <IconButton icon="leave" label="Sign out" onClick={() => void signOut()} />
      </header>
      <Nav />
      <main class="main" id="main" ref={main} tabIndex={-1}>
        <LostStrip />
        <View />
      </main>
      <Notices />
      {showsKeys && <Shortcuts close={() => setShowsKeys(false)} />}
    </div>
  );
};
