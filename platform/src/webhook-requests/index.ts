export { type AddressRange, classifyAddress, findUrlProblem, parseAddressRanges } from './internal-addresses.ts';
export { createWebhookPost, createWebhookSecret, type PostWebhook, type ResolveHost, signWebhook } from './post.ts';
