import { formatTable } from '@popsvc/cli/program';
import type { SentCounts } from './sent.ts';
import type { NetworkReport } from './verify.ts';

export interface Simulation {
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
  'strange',
  'bad_flags',
  'none_rows',
  'unheard',
  'ok',
];

const totalOf = (rows: readonly SentCounts[]) => ({
  network_id: 'all',
  ...Object.fromEntries(
    sentFields.slice(1).map((field) => [field, rows.reduce((sum, row) => sum + row[field as keyof SentCounts], 0)]),
  ),
});

/** What was sent and, where it was asked for, what the reports say of it. */
export const toldSimulation = ({ seconds, events_per_second: rate, sent, verified }: Simulation): string =>
  [
    `Sent in ${seconds} s, ${rate} events a second:`,
    formatTable([...sent, totalOf(sent)], sentFields, ''),
    ...(verified
      ? [
          '',
          'Coffee, read as CSV:',
          formatTable(verified, reportFields, ''),
          verified.every(({ ok }) => ok)
            ? 'Every play that was sent is there once, every row’s flags nest, and none is unmeasured while a feeder beat.'
            : 'The report does not agree with what was sent.',
        ]
      : []),
  ].join('\n');
