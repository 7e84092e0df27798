import { ops } from '../api/ops.ts';
import { Away, sentenceOf } from '../api/refused.ts';
import { session } from '../state/session.ts';
import { kept } from '../state/kept.ts';
import { tell } from '../state/news.ts';

const againMs = 2_000;

/** Not the session itself, only whether there was one: who never signed in is shown the door without asking the server. */
const signedIn = kept('popsvc-signed-in');

/** Asks whether a session lasts; while nobody answers, again. */
export const askSession = async (): Promise<void> => {
  if (signedIn.read() === null) {
    session.value = 'out';
    return;
  }
  try {
    await ops.GET('/ops/v1/session');
    session.value = 'in';
  } catch (error) {
    if (error instanceof Away) setTimeout(() => void askSession(), againMs);
    else session.value = 'out';
  }
};

/** The token goes to the server and is kept nowhere; what is left is a cookie that scripts cannot read. */
export const signIn = async (token: string): Promise<void> => {
  await ops.POST('/ops/v1/session', { body: { token } });
  // Another word each time: of one that stays the same other tabs are not told.
  signedIn.write(String(Date.now()));
  session.value = 'in';
};

/** Only the server can end a session: where it does not answer, the reader is told that it lasts. */
export const signOut = async (): Promise<void> => {
  try {
    await ops.DELETE('/ops/v1/session');
  } catch (error) {
    tell('bad', `You are still signed in: ${sentenceOf(error)}`);
    return;
  }
  signedIn.write(null);
  session.value = 'out';
};

/** Who signs in or out in one tab does so in all of them. */
export const followOtherTabs = (): void => {
  signedIn.onChange((word) => {
    if (word === null) session.value = 'out';
    else if (session.value !== 'in') void askSession();
  });
};
