import { SingleBar } from 'cli-progress';
import type { Delivery, TrafficWish } from './deliveries.ts';
import { hourMs } from './open-quarters.ts';

export interface Progress {
  readonly onDelivered: (delivery: Delivery) => void;
  readonly stop: () => void;
}

const format =
  '{bar} {percentage}% | {value}/{total} network hours | {events} events | {rate}/s | {duration_formatted}';

/** A bar on standard error that moves with the simulated hours; nothing where standard error is no terminal. */
export const progressBar = ({ fromMs, toMs }: TrafficWish, networks: number): Progress => {
  const hours = (toMs - fromMs) / hourMs;
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, barsize: 24 });
  const reached = new Map<number, number>();
  const began = performance.now();
  let events = 0;
  bar.start(hours * networks, 0, { events, rate: 0 });
  return {
    onDelivered({ network, hour, items }) {
      events += items.length;
      const at = Math.min((hour - fromMs) / hourMs + 1, hours);
      reached.set(network, Math.max(at, reached.get(network) ?? 0));
      const value = [...reached.values()].reduce((sum, each) => sum + each, 0);
      bar.update(value, { events, rate: Math.round((events * 1_000) / (performance.now() - began)) });
    },
    stop: () => bar.stop(),
  };
};
