import { failPoint } from '@popsvc/platform/runtime';
import { isSampled, isTracing, traced } from '@popsvc/platform/tracing';
import type { Waiting } from './lane.ts';

const mortal = async <T>(append: () => Promise<T>): Promise<T> => {
  failPoint('before-append', 'intake');
  const appended = await append();
  failPoint('after-append', 'intake');
  return appended;
};

/** Appends for several requests at once: seen in the trace of the first of them, with links to the others. */
export const appendFor = <T>(group: readonly Pick<Waiting, 'trail'>[], append: () => Promise<T>): Promise<T> => {
  const [from, ...links] = isTracing() ? group.map(({ trail }) => trail).filter(isSampled) : [];
  if (from === undefined) return mortal(append);
  const attributes = { 'popsvc.requests': group.length };
  return traced(
    () => ({ name: 'append group', kind: 'work', from, links, attributes }),
    () => mortal(append),
  );
};
