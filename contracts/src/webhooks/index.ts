export { FINAL_REPORTS, type FinalReport, Notice, type NoticeOf, type NoticeType } from './notices.ts';
export {
  deliveriesKeptDays,
  DELIVERY_STATES,
  type DeliveryAttempt,
  type DeliveryState,
  envelopedWebhookResponses,
  maxDeliveryAttempts,
  maxSubscriptions,
  NewOperatorWebhook,
  NewVendorWebhook,
  NewWebhook,
  RedeliverWebhook,
  RotateWebhook,
  type Webhook,
  type WebhookDelivery,
  webhookResponses,
} from './subscriptions.ts';
