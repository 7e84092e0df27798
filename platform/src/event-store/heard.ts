import type { AllStreamSubscription } from '@eventstore/db-client';

/** What a subscription told besides events; `wake` is called with each word. */
export interface Heard {
  caughtUp: boolean;
  failure: unknown;
  wake: () => void;
}

export const listen = (subscription: AllStreamSubscription): Heard => {
  const heard: Heard = { caughtUp: false, failure: undefined, wake: () => undefined };
  const fail = (error: unknown) => {
    heard.failure ??= error;
    heard.wake();
  };
  subscription
    .on('readable', () => heard.wake())
    .on('caughtUp', () => {
      heard.caughtUp = true;
      heard.wake();
    })
    .on('error', fail)
    .on('end', () => fail(new Error('the subscription ended')));
  return heard;
};
