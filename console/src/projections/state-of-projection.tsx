import type { Projection } from '../api/shapes.ts';
import { Badge, type Tone } from '../parts/badge.tsx';

const tones: Readonly<Record<Projection['state'], Tone>> = {
  running: 'good',
  starting: 'busy',
  waiting: 'quiet',
  paused: 'warn',
  failing: 'bad',
  stopped: 'bad',
};

const about: Readonly<Record<Projection['state'], string>> = {
  running: 'It keeps up with the log.',
  starting: 'It looks where it left off.',
  waiting: 'Another process has it.',
  paused: 'An operator had it stand still.',
  failing: 'It tries again by itself; see why below.',
  stopped: 'No process works on it.',
};

export const StateOfProjection = ({ projection: { state, outdated } }: { readonly projection: Projection }) => (
  <>
    <Badge tone={tones[state]} text={state} title={about[state]} />{' '}
    {outdated && <Badge tone="warn" text="outdated" title="An older version of the service built it; replay it." />}
  </>
);
