import { createSampler, type SamplerOptions } from '@popsvc/platform/runtime';
import { Gauge, type Registry } from '@popsvc/platform/telemetry';

type GaugeValues<Label extends string> =
  readonly (readonly [labels: Readonly<Record<Label, string | number>>, value: number])[] | number | undefined;

interface GaugeDefinition<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly Label[];
}

/** A time series that `read` does not return disappears. */
export const registerGauge = <Label extends string = never>(
  metrics: Registry,
  { name, help, labelNames = [] }: GaugeDefinition<Label>,
  read: () => GaugeValues<Label> | Promise<GaugeValues<Label>>,
): void => {
  new Gauge<string>({
    name,
    help,
    labelNames,
    registers: [metrics],
    async collect() {
      const found = await read();
      // `reset` would set a gauge without labels to 0.
      if (labelNames.length > 0) this.reset();
      else this.remove();
      if (typeof found === 'number') this.set(found);
      else for (const [labels, value] of found ?? []) this.set(labels, value);
    },
  });
};

/** A shard or server that fails or does not respond in time has no value and does not affect the others. */
export const sampleEach = <Each, T>(
  all: readonly Each[],
  read: (each: Each) => Promise<T>,
  options: SamplerOptions,
): (() => Promise<readonly { readonly of: Each; readonly value: T }[]>) => {
  const samplers = all.map((of) => ({ of, sample: createSampler(() => read(of), options) }));
  return async () => {
    const values = await Promise.all(samplers.map(async ({ of, sample }) => ({ of, value: await sample() })));
    return values.flatMap(({ of, value }) => (value === undefined ? [] : [{ of, value }]));
  };
};
