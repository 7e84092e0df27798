import { createCheck, failed } from '@popsvc/contracts/diagnostics';
import { openPrivateJwk } from '@popsvc/http-kit/auth/tokens';
import {
  openWebhookSecret,
  readCurrentSigningKey,
  readWebhookSecrets,
  SealedSecretError,
} from '@popsvc/platform/postgres';
import type { ServiceEvaluation } from '../dependencies.ts';

const check = createCheck(
  'sealed-secrets',
  'The encryption key of the projectors opens the secrets that PostgreSQL stores.',
  {
    'signing-key': failed(
      'No access tokens are issued; earlier ones are valid until they expire. Set POPSVC_ENCRYPTION_KEY of projectors and query-api to the key that encrypted the secret (on one machine: encryptionKey in DATA_DIR/secrets.json), and restart them. If it is lost, or the secret is damaged: `popsvc signing-keys rotate`.',
    ),
    webhooks: failed(
      'Notices to these subscriptions wait. Set POPSVC_ENCRYPTION_KEY of projectors and query-api to the key that encrypted the secrets (on one machine: encryptionKey in DATA_DIR/secrets.json), and restart them. If it is lost, or a secret is damaged: `popsvc webhooks rotate ID --overlap 0` for each subscription, and give its receiver the new secret.',
    ),
  },
);

const findReason = (open: () => unknown): string | undefined => {
  try {
    open();
    return undefined;
  } catch (error) {
    if (error instanceof SealedSecretError) return error.message;
    throw error;
  }
};

const maxNamed = 10;

export const sealedSecrets: ServiceEvaluation = {
  check,
  needs: ['postgresql'],
  async evaluate({ postgres, secretSealer }) {
    const key = await readCurrentSigningKey(postgres);
    const keyReason = key && findReason(() => openPrivateJwk(secretSealer, key));
    const secrets = await readWebhookSecrets(postgres);
    const unreadable = secrets.flatMap((secret) => {
      const reason = findReason(() => openWebhookSecret(secretSealer, secret));
      return reason === undefined ? [] : [{ webhook: secret.webhook, reason }];
    });
    const webhooks = [...new Set(unreadable.map(({ webhook }) => webhook))];
    const findings = [
      ...(keyReason === undefined ? [] : [check.problem('signing-key', { subject: 'signing-key', found: keyReason })]),
      ...(webhooks.length === 0
        ? []
        : [
            check.problem('webhooks', {
              subject: 'webhooks',
              found: `secrets of ${webhooks.length} subscriptions (${webhooks.slice(0, maxNamed).join(', ')}${webhooks.length > maxNamed ? ', …' : ''}): ${unreadable[0]!.reason}`,
            }),
          ]),
    ];
    if (findings.length > 0) return findings;
    const found = `${key ? 'the signing key' : 'no signing key'} and ${secrets.length} secrets of webhooks can be opened`;
    return [check.ok({ found })];
  },
};
