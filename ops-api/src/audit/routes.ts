import { OPERATOR_ROLES } from '@popsvc/contracts/vocabulary';
import { Instant } from '@popsvc/contracts/time';
import type { EventStore } from '@popsvc/platform/event-store';
import { instantParameter, jsonResponse, parseQuery, type Route, sequencePages } from '@popsvc/http-kit/server';
import type { Log } from '@popsvc/platform/telemetry';
import { z } from 'zod';
import { nextAfter, pageParameters } from '../requests/parameters.ts';
import { readAuditPage, type RecordedAction } from './audit-log.ts';

const Outcome = z.enum(['done', 'refused']);

const AuditQuery = z.strictObject({
  actor: z
    .string()
    .min(1)
    .max(400)
    .optional()
    .describe('Name of the account; `operator-token` for the operator token.'),
  action: z.string().min(1).max(100).optional().describe('Id of the operation in this document.'),
  outcome: Outcome.optional(),
  since: instantParameter.optional(),
  until: instantParameter.optional(),
  ...pageParameters(sequencePages, 100),
});

const AuditedAction = z
  .object({
    at: Instant.describe('When the action was recorded.'),
    actor: z.string().describe('Name of the account; `operator-token` for the operator token.'),
    role: z.enum(OPERATOR_ROLES).describe('Role of the operator at that time.'),
    action: z.string().describe('Id of the operation in this document.'),
    target: z.record(z.string(), z.string()).describe('What the action applies to.'),
    outcome: Outcome.describe('refused: the action needs a higher role.'),
    address: z.string().describe('Address of the connected client, or of its proxy.'),
    request_id: z.string().nullable().describe('Identifies the request in the logs; null if it is not recorded.'),
    sequence: z.string().describe('Place in the stream `audit-console`.'),
  })
  .meta({ id: 'AuditedAction' });

const AuditResponse = z
  .object({
    actions: z.array(AuditedAction).describe('Newest first. With a filter, a page may be short although more follow.'),
    next_after: nextAfter,
  })
  .meta({ id: 'AuditPage' });

const toAuditedAction = ({ revision, requestId, ...action }: RecordedAction) => ({
  ...action,
  request_id: requestId,
  sequence: revision.toString(),
});

export interface AuditDependencies {
  readonly store: Pick<EventStore, 'append' | 'readStream'>;
  readonly log: Log;
}

export const auditRoute = ({ store, log }: AuditDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/audit',
  summary: 'Actions of operators: changes, sign-ins, and changes that were refused because of the role.',
  operationId: 'listAudit',
  access: 'viewer',
  examples: [{ name: 'newest', query: { limit: 10 } }],
  schemas: { query: AuditQuery, responses: { 200: AuditResponse } },
  async handle({ query }) {
    const { after, ...filter } = parseQuery(AuditQuery, query);
    const { actions, next } = await readAuditPage(store, { ...filter, before: after && BigInt(after.sequence) }, log);
    return jsonResponse(200, { actions: actions.map(toAuditedAction), next_after: next?.toString() ?? null });
  },
});
