import { errorMessage, ops, ServiceUnreachableError, sessionState } from '../api/client.ts';
import { showNotice } from '../components/notices.tsx';
import { storedValue } from './stored-value.ts';

const retryDelayMs = 2_000;

/** Stored while this browser may have a session. If it is missing, the login form appears at once, without a request to the server. */
const mayHaveSession = storedValue('popsvc-signed-in');

/** Checks with the server whether the session is valid. Retries until the server responds. */
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

/** Exchanges the operator token for a session cookie that scripts cannot read. The page does not store the token. */
export const signIn = async (token: string): Promise<void> => {
  await ops.POST('/ops/v1/session', { body: { token } });
  // A different value each time, because browsers notify other tabs only of changes.
  mayHaveSession.write(String(Date.now()));
  sessionState.value = 'signed-in';
};

/** Ends the session. Only the server can end it, so the operator stays signed in if the request fails. */
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

/** Signs this tab in or out when another tab signs in or out. */
export const followOtherTabs = (): void => {
  mayHaveSession.onChange((value) => {
    if (value === null) sessionState.value = 'signed-out';
    else if (sessionState.value !== 'signed-in') void checkSession();
  });
};
