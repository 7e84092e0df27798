import { formatTable } from '@popsvc/cli/output';
import { SingleBar } from 'cli-progress';
import type { Delivery, TrafficOptions } from './deliveries.ts';
import { hourMs } from './devices.ts';
import type { SentCounts } from './sent.ts';
import type { NetworkReport } from './verify.ts';

interface Progress {
  readonly onDelivered: (delivery: Delivery) => void;
  readonly stop: () => void;
}

const format =
  '{bar} {percentage}% | {value}/{total} network hours | {events} events | {rate}/s | {duration_formatted}';

/** Starts a progress bar over the simulated hours on standard error; without a terminal it prints nothing. */
export const startProgressBar = ({ fromMs, toMs }: TrafficOptions, networks: number): Progress => {
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

/** The JSON output of the command. */
export interface SimulationResult {
  readonly seconds: number;
  readonly events_per_second: number;
  readonly sent: readonly SentCounts[];
  readonly verified?: readonly NetworkReport[];
}

const sentFields = [
  'network_id',
  'plays',
  'play_events',
  'duplicates',
  'detections',
  'detection_events',
  'heartbeat_events',
  'interval_events',
];
const reportFields = [
  'network_id',
  'rows',
  'seen_rows',
  'found',
  'missing',
  'unexpected',
  'repeated',
  'bad_flags',
  'none_rows',
  'wrongly_unmeasured',
  'ok',
];

const totalOf = (rows: readonly SentCounts[]) => ({
  network_id: 'all',
  ...Object.fromEntries(
    sentFields.slice(1).map((field) => [field, rows.reduce((sum, row) => sum + row[field as keyof SentCounts], 0)]),
  ),
});

/** Formats the counts of sent events and, with --verify, the comparison with the reports. */
export const formatSimulation = ({ seconds, events_per_second: rate, sent, verified }: SimulationResult): string =>
  [
    `Sent in ${seconds} s, ${rate} events a second:`,
    formatTable([...sent, totalOf(sent)], sentFields, ''),
    ...(verified
      ? [
          '',
          'Coffee, read as CSV:',
          formatTable(verified, reportFields, ''),
          verified.every(({ ok }) => ok)
            ? 'Every play that was sent is in the report once, the flags of all rows nest, and no play is unmeasured while a feeder was online.'
            : 'The report does not match the events that were sent.',
        ]
      : []),
  ].join('\n');
