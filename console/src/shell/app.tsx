import { useEffect } from 'preact/hooks';
import { session } from '../state/session.ts';
import { askSession } from './sign-in.ts';
import { Login } from './login.tsx';
import { Shell } from './shell.tsx';

/** The door, or what is behind it. Until the server has said who is there, nothing is shown. */
export const App = () => {
  useEffect(() => void askSession(), []);
  if (session.value === 'out') return <Login />;
  return session.value === 'in' ? <Shell /> : null;
};
