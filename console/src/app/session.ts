import { errorMessage, ops, ServiceUnreachableError, sessionState } from '../api/client.ts';
import { showNotice } from '../components/notices.tsx';
import { storedValue } from './stored-value.ts';

const retryDelayMs = 2_000;

/** Stored while this browser may have a session. If it is missing, the login form appears without a request. */
const mayHaveSession = storedValue('popsvc-signed-in');

/** Asks the server whether the session is valid; retries until the server answers. */
export const checkSession = async (): Promise<void> => {
  if (mayHaveSession.read() === null) {
    sessionState.value = 'signed-out';
    return;
  }
  try {
    await ops.GET('/ops/v1/session');
    sessionState.value = 'signed-in';
  } catch (error) {
    if (error instanceof ServiceUnreachableError) setTimeout(() => void checkSession(), retryDelayMs);
    else sessionState.value = 'signed-out';
  }
};

/** Exchanges the token for a session cookie that scripts cannot read. The page does not store the token. */
export const signIn = async (token: string): Promise<void> => {
  await ops.POST('/ops/v1/session', { body: { token } });
  // The value differs each time, because other tabs are notified only when it changes.
  mayHaveSession.write(String(Date.now()));
  sessionState.value = 'signed-in';
};

/** Ends the session. Only the server can end it, so a failed request leaves the operator signed in. */
export const signOut = async (): Promise<void> => {
  try {
    await ops.DELETE('/ops/v1/session');
  } catch (error) {
    showNotice('bad', `You are still signed in: ${errorMessage(error)}`);
    return;
  }
  mayHaveSession.write(null);
  sessionState.value = 'signed-out';
};

/** Signs in or out when another tab does. */
export const followOtherTabs = (): void => {
  mayHaveSession.onChange((value) => {
    if (value === null) sessionState.value = 'signed-out';
    else if (sessionState.value !== 'signed-in') void checkSession();
  });
};
