import { baseUrl, errorMessage, ops, responseData, ServiceUnreachableError, sessionState } from '../api/client.ts';
import { showNotice } from '../components/notices.tsx';
import { operator } from '../state/operator.ts';
import { storedValue } from '../state/stored-value.ts';

const retryDelayMs = 2_000;

/** If this value is missing, the login form appears at once, without a request to the server. */
const mayHaveSession = storedValue('popsvc-signed-in');

export const checkSession = async (): Promise<void> => {
  if (mayHaveSession.read() === null) {
    sessionState.value = 'signed-out';
    return;
  }
  try {
    operator.value = await responseData(ops.GET('/ops/v1/session'));
    sessionState.value = 'signed-in';
  } catch (error) {
    if (error instanceof ServiceUnreachableError) setTimeout(() => void checkSession(), retryDelayMs);
    else sessionState.value = 'signed-out';
  }
};

type Credentials = { readonly token: string } | { readonly account: string; readonly password: string };

export const signIn = async (credentials: Credentials): Promise<void> => {
  await ops.POST('/ops/v1/session', { body: credentials });
  operator.value = await responseData(ops.GET('/ops/v1/session'));
  // A different value each time, because browsers notify other tabs only of changes.
  mayHaveSession.write(String(Date.now()));
  sessionState.value = 'signed-in';
};

export const signInWithProvider = (): void => {
  mayHaveSession.write(String(Date.now()));
  const redirectUri = `${baseUrl}/ops/v1/session/oidc/callback`;
  location.href = `${baseUrl}/ops/v1/session/oidc?redirect_uri=${encodeURIComponent(redirectUri)}`;
};

/** Only the server can end the session, so the operator stays signed in if the request fails. */
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

export const followOtherTabs = (): void => {
  mayHaveSession.onChange((value) => {
    if (value === null) sessionState.value = 'signed-out';
    else if (sessionState.value !== 'signed-in') void checkSession();
  });
};
