import { batch, signal } from '@preact/signals';
import { base, ops } from '../api/ops.ts';
import type { Overview, Projection, Replay } from '../api/shapes.ts';
import { revivals } from './use-asked.ts';

/** As the stream tells them; undefined before it first did. */
export const overview = signal<Overview | undefined>(undefined);
export const projections = signal<readonly Projection[] | undefined>(undefined);
export const replays = signal<readonly Replay[]>([]);

/** Whether the stream flows, and since when that is so. */
export const link = signal<{ readonly state: 'connecting' | 'live' | 'lost'; readonly since: number }>({
  state: 'connecting',
  since: Date.now(),
});

const againMs = 3_000;
/** The server tells something every two seconds; a stream that says nothing for so long is dead, whatever the socket says. */
const silenceMs = 20_000;

const turn = (state: 'live' | 'lost'): void => {
  if (link.value.state === state) return;
  const isBack = link.value.state === 'lost' && state === 'live';
  batch(() => {
    link.value = { state, since: Date.now() };
    if (isBack) revivals.value += 1;
  });
};

/** Listens to the server until the function it gives is called; goes on by itself after the server was away. */
export const openLive = (): (() => void) => {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Whoever waits for an answer hears it after the end, too.
  let isOver = false;
  const later = (ms: number, next: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(next, ms);
  };
  const heard = () => {
    turn('live');
    later(silenceMs, broken);
  };
  const broken = () => {
    if (isOver) return;
    source?.close();
    turn('lost');
    later(againMs, () => {
      // Whoever is no longer let in is told so here; an event stream tells nothing of why it ended.
      ops.GET('/ops/v1/session').then(open, broken);
    });
  };
  const open = () => {
    if (isOver) return;
    source = new EventSource(`${base}/ops/v1/live`);
    source.addEventListener('error', broken);
    source.addEventListener('overview', ({ data }: MessageEvent<string>) => {
      overview.value = JSON.parse(data) as Overview;
      heard();
    });
    source.addEventListener('projections', ({ data }: MessageEvent<string>) => {
      const told = JSON.parse(data) as { projections: readonly Projection[]; replays: readonly Replay[] };
      batch(() => {
        projections.value = told.projections;
        replays.value = told.replays;
      });
      heard();
    });
    later(silenceMs, broken);
  };
  open();
  return () => {
    isOver = true;
    clearTimeout(timer);
    source?.close();
  };
};
