export { type AddressRange, classifyAddress, findUrlProblem, parseAddressRanges } from './internal-addresses.ts';
export { createWebhookPost, type PostWebhook, type ResolveHost } from './post.ts';
export { createWebhookSecret, signWebhook } from './signature.ts';
