import { reachFailPoint } from '@popsvc/platform/runtime';
import { isSampled, isTracingEnabled, runInSpan } from '@popsvc/platform/telemetry';
import type { Waiting } from './lane.ts';

const mortal = async <T>(append: () => Promise<T>): Promise<T> => {
  reachFailPoint('before-append', 'intake');
  const appended = await append();
  reachFailPoint('after-append', 'intake');
  return appended;
};

/** Appends for several requests at once: seen in the trace of the first of them, with links to the others. */
export const appendFor = <T>(group: readonly Pick<Waiting, 'trail'>[], append: () => Promise<T>): Promise<T> => {
  const [from, ...links] = isTracingEnabled() ? group.map(({ trail }) => trail).filter(isSampled) : [];
  if (from === undefined) return mortal(append);
  const attributes = { 'popsvc.requests': group.length };
  return runInSpan(
    () => ({ name: 'append group', kind: 'work', parent: from, links, attributes }),
    () => mortal(append),
  );
};
