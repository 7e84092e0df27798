import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { sessionState } from './api/client.ts';
import { Login } from './app/login.tsx';
import { checkSession, followOtherTabs } from './app/session.ts';
import { Shell } from './app/shell.tsx';
import { applyTheme } from './app/theme.tsx';

/** Renders nothing until the session is checked, because the login form would flash. */
const App = () => {
  useEffect(() => void checkSession(), []);
  if (sessionState.value === 'signed-out') return <Login />;
  return sessionState.value === 'signed-in' ? <Shell /> : null;
};

applyTheme();
followOtherTabs();
render(<App />, document.getElementById('root')!);
