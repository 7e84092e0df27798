import { z } from 'zod';

/** A step into a value: the name of a field, or a place in a list. */
export type PathStep = string | number;

const step = /\.?([^.[\]"']+)|\[(\d{1,6})\]|\["([^"]+)"\]|\['([^']+)'\]/y;

/**
 * The steps of `a.b[0]` or `["odd key"].c`; a leading `$` stands for the whole event. Undefined when it cannot be read so.
 * A name may hold anything but dots, brackets and quotes; one that does stands in brackets and quotes.
 */
export const pathSteps = (path: string): readonly PathStep[] | undefined => {
  const steps: PathStep[] = [];
  let at = /^\$(?=[.[])/.test(path) ? 1 : 0;
  if (at === 0 && path.startsWith('.')) return undefined;
  while (at < path.length) {
    // A name right after a bracket needs its dot.
    if (steps.length > 0 && path[at] !== '.' && path[at] !== '[') return undefined;
    step.lastIndex = at;
    const found = step.exec(path);
    if (!found) return undefined;
    const [whole, name, index, ...quoted] = found;
    steps.push(index === undefined ? (name ?? quoted[0] ?? quoted[1])! : Number(index));
    at += whole.length;
  }
  return steps.length === 0 ? undefined : steps;
};

export const Path = z
  .string()
  .min(1)
  .max(500)
  .refine((path) => pathSteps(path) !== undefined, 'must be a path like a.b[0] or ["odd key"]')
  .describe('Where the value stands, like `a.b[0]` or `["odd key"]`.');
