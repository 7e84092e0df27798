import { Ago } from '../parts/time.tsx';
import { link } from '../state/live.ts';

const words = { connecting: 'Connecting', live: 'Live', lost: 'Not connected' } as const;

/** Whether what is shown is of now. */
export const LinkState = () => (
  <span class="link-state" data-state={link.value.state} role="status">
    {words[link.value.state]}
  </span>
);

export const LostStrip = () => {
  const { state, since } = link.value;
  if (state !== 'lost') return null;
  return (
    <p class="lost">
      The service does not answer; what you see is as of <Ago at={new Date(since).toISOString()} />. The console goes on
      by itself as soon as it is back.
    </p>
  );
};
