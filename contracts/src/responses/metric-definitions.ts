import { z } from 'zod';
import { Thresholds } from '../metrics/index.ts';
import { Instant } from '../time/index.ts';
import { withEnvelope } from './envelope.ts';

export const MetricDefinitions = withEnvelope(
  z.object({
    count: z.int().min(1).describe('Number of versions.'),
    rows: z
      .array(
        z.object({
          network_id: z.int().min(1).describe('Network whose plays use the version.'),
          version: z.int().min(0).describe('0: in force until the first published version takes effect.'),
          effective_from: Instant.nullable().describe(
            'A play uses the version in force at its start; null for version 0.',
          ),
          thresholds: Thresholds,
        }),
      )
      .describe('Every version, in ascending order.'),
  }),
);
