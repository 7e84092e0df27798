import { z } from 'zod';
import { Notice } from '../webhooks/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

export const NoticeIssued = defineEvent('NoticeIssued', {
  about: 'Something happened that webhooks report. Its id is the header `webhook-id` of the requests.',
  schema: z.object({
    notice: Notice.describe('The body of the requests.'),
    key: z.string().describe('What it is about; unique in its stream.'),
    cause: z
      .string()
      .regex(/^\d+$/)
      .optional()
      .describe('Position of the event that caused the notice; absent if a read model did.'),
  }),
  example: {
    notice: {
      type: 'report_day.final',
      timestamp: '2026-08-24T00:00:03.000Z',
      data: { network_id: 1, day: '2026-08-20' },
    },
    key: '2026-08-20',
  },
});
export type NoticeIssued = DataOf<typeof NoticeIssued>;
