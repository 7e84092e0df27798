import { pathSteps, type PathStep } from '@popsvc/contracts/mappings';

/** One step down: fields by name, lists by number, own properties alone, so that no path reaches into a prototype. */
const down = (value: unknown, step: PathStep): unknown => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) !== (typeof step === 'number')) return undefined;
  return Object.hasOwn(value, step) ? (value as Record<PathStep, unknown>)[step] : undefined;
};

/** Reads what stands at a path of an event; undefined where nothing does. Throws on a path the schema would refuse. */
export const fieldAt = (path: string): ((event: unknown) => unknown) => {
  const steps = pathSteps(path);
  if (!steps) throw new RangeError(`Not a path: ${JSON.stringify(path)}`);
  const [first, ...others] = steps;
  if (others.length === 0) return (event) => down(event, first!);
  return (event) => {
    let value = event;
    for (const step of steps) {
      value = down(value, step);
      if (value === undefined) return undefined;
    }
    return value;
  };
};
