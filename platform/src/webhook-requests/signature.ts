import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** Creates a secret with 256 bits of entropy, in the format of Standard Webhooks. */
export const createWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** What is signed: the id of the notice, which is the same in all attempts, and the body. */
export interface SignedMessage {
  readonly id: string;
  readonly body: string;
  readonly sentAtMs: number;
}

/**
 * Returns the headers of Standard Webhooks. There is a signature for each secret, so that receivers can verify requests with the previous
 * secret, too, while they replace it.
 */
export const signWebhook = (
  { id, body, sentAtMs }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(sentAtMs / 1_000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(sentAtMs), body)).join(' '),
});
