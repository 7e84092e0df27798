import { z } from 'zod';
import { Code } from '../registry/index.ts';
import { nextBefore, withEnvelope } from '../responses/envelope.ts';
import { Instant } from '../time/index.ts';
import { NOTICE_TYPES, type NoticeType, VENDOR_NOTICE_TYPES, WebhookPayload } from './notices.ts';

/** In each network: for each partner, for each vendor, and for the operators. */
export const maxSubscriptions = 20;

/** How long requests also have a signature with the previous secret after a rotation. */
const secretOverlap = { defaultSeconds: 86_400, maxSeconds: 30 * 86_400 } as const;

/** After this many failed attempts, a delivery becomes a dead letter and is attempted again only on request. */
export const maxDeliveryAttempts = 10;

export const deliveriesKeptDays = 30;

const description = z.string().trim().min(1).max(200);
const url = z
  .string()
  .max(2_000)
  .describe('Where notices are posted: an https URL of a public address, without user and password.');

const typesOf = <const Types extends readonly [NoticeType, ...NoticeType[]]>(types: Types) =>
  z
    .array(z.enum(types))
    .min(1)
    .refine((given) => new Set(given).size === given.length, 'must not name a type twice')
    .describe('The types of notices to receive.');

const newSubscription = <Types extends z.ZodType>(types: Types) =>
  z.strictObject({ url, types, description: description.optional().describe('A name to recognize it by.') });

export const NewWebhook = newSubscription(typesOf(NOTICE_TYPES)).meta({ id: 'NewWebhook' });
export const NewVendorWebhook = newSubscription(typesOf(VENDOR_NOTICE_TYPES)).meta({ id: 'NewVendorWebhook' });
export const NewOperatorWebhook = NewWebhook.extend({
  network: z.int().min(1).describe('Network whose notices are sent.'),
  vendor: Code.optional().describe(
    'Only notices about this vendor, which also lists the subscription. Absent: of the whole network.',
  ),
}).meta({ id: 'NewOperatorWebhook' });

export const Webhook = z
  .object({
    id: z.string().describe('Id of the subscription, as in paths.'),
    network_id: z.int().describe('Network whose notices are sent.'),
    vendor: z.string().nullable().describe('Only notices about this vendor; null: of the whole network.'),
    client_id: z.string().nullable().describe('The client that created it; null for those of vendors and operators.'),
    url: z.string().describe('Where notices are posted.'),
    types: z.array(z.enum(NOTICE_TYPES)).describe('The types of notices that it receives.'),
    description: z.string().nullable().describe('The name to recognize it by; null without one.'),
    created_at: Instant.describe('When it was created.'),
    pending: z.int().min(0).describe('Notices that are not delivered yet.'),
    dead: z.int().min(0).describe('Dead letters: notices that were not delivered in all attempts.'),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof Webhook>;

const WebhookWithSecret = Webhook.extend({
  secret: z
    .string()
    .describe('Verifies the signature of requests. Only the responses to a creation and a rotation contain it.'),
}).meta({ id: 'WebhookWithSecret', description: 'A subscription with its current secret.' });

export const RotateWebhook = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(secretOverlap.maxSeconds)
      .default(secretOverlap.defaultSeconds)
      .describe('How long requests carry a signature with the previous secret, too.'),
  })
  .meta({ id: 'RotateWebhook' });

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const DeliveryAttempt = z
  .object({
    at: Instant.describe('Start of the attempt.'),
    status: z.int().nullable().describe('HTTP status of the response; null without a response.'),
    error: z.string().nullable().describe('Why there was no response; null with one.'),
    duration_ms: z.int().min(0).describe('Duration of the attempt in milliseconds.'),
  })
  .meta({ id: 'WebhookAttempt' });
export type DeliveryAttempt = z.output<typeof DeliveryAttempt>;

export const WebhookDelivery = z
  .object({
    id: z.string().describe('Id of the delivery, with which it can be requested again.'),
    webhook_id: z.string().describe('The header webhook-id: the same in all attempts.'),
    state: z
      .enum(DELIVERY_STATES)
      .describe(
        'pending: not delivered yet; dead: not delivered in all attempts, and attempted again only on request.',
      ),
    created_at: Instant.describe('When the notice was queued for the subscription.'),
    next_attempt_at: Instant.nullable().describe('Null if delivered or dead.'),
    attempts: z.array(DeliveryAttempt).describe('The last 20 attempts, the oldest first.'),
    payload: WebhookPayload,
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

export const RedeliverWebhook = z
  .strictObject({
    deliveries: z
      .array(z.uuid())
      .min(1)
      .max(100)
      .optional()
      .describe(
        'Ids of deliveries in any state: a pending one does not wait for its next attempt. Absent: all dead letters.',
      ),
  })
  .meta({ id: 'RedeliverWebhook' });

const Webhooks = z.object({ webhooks: z.array(Webhook).describe('Oldest first.') });
const Deliveries = z.object({
  deliveries: z.array(WebhookDelivery).describe('Newest first.'),
  next_before: nextBefore,
});
const Redelivered = z.object({ queued: z.int().min(0).describe('Deliveries that are attempted again.') });
const Deleted = z.object({ id: z.string().describe('Id of the deleted subscription.') });

export const webhookResponses = {
  list: Webhooks,
  created: WebhookWithSecret,
  rotated: WebhookWithSecret,
  deleted: Deleted,
  deliveries: Deliveries,
  redelivered: Redelivered,
  tested: WebhookDelivery,
} as const;

export const envelopedWebhookResponses = {
  list: withEnvelope(Webhooks),
  created: withEnvelope(WebhookWithSecret),
  rotated: withEnvelope(WebhookWithSecret),
  deleted: withEnvelope(Deleted),
  deliveries: withEnvelope(Deliveries),
  redelivered: withEnvelope(Redelivered),
  tested: withEnvelope(WebhookDelivery),
} as const;
