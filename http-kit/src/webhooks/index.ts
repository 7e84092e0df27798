export { operatorWebhooks, OperatorWebhooksQuery, partnerWebhooks, vendorWebhooks } from './declarations.ts';
export { webhookRoutes } from './routes.ts';
