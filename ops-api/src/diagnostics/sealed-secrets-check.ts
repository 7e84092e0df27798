import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { openPrivateJwk } from '@popsvc/platform/auth/tokens';
import {
  openWebhookSecret,
  readCurrentSigningKey,
  readWebhookSecrets,
  SealedSecretError,
} from '@popsvc/platform/postgres';
import type { DiagnosticsDependencies } from './dependencies.ts';

/** Returns why a sealed secret cannot be opened; undefined if it can. */
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

/** Checks that the signing key and the secrets of webhooks can be decrypted with the key of this process. */
export const checkSealedSecrets = async ({
  postgres,
  secretSealer,
}: Pick<DiagnosticsDependencies, 'postgres' | 'secretSealer'>): Promise<readonly Finding[]> => {
  const key = await readCurrentSigningKey(postgres);
  const keyReason = key && findReason(() => openPrivateJwk(secretSealer, key));
  const secrets = await readWebhookSecrets(postgres);
  const unreadable = secrets.flatMap((secret) => {
    const reason = findReason(() => openWebhookSecret(secretSealer, secret));
    return reason === undefined ? [] : [{ webhook: secret.webhook, reason }];
  });
  const webhooks = [...new Set(unreadable.map(({ webhook }) => webhook))];
  const findings = [
    ...(keyReason === undefined
      ? []
      : [reportProblem('sealed-secrets', 'signing-key', { subject: 'signing-key', found: keyReason })]),
    ...(webhooks.length === 0
      ? []
      : [
          reportProblem('sealed-secrets', 'webhooks', {
            subject: 'webhooks',
            found: `secrets of ${webhooks.length} subscriptions (${webhooks.slice(0, maxNamed).join(', ')}${webhooks.length > maxNamed ? ', …' : ''}): ${unreadable[0]!.reason}`,
          }),
        ]),
  ];
  if (findings.length > 0) return findings;
  const found = `${key ? 'the signing key' : 'no signing key'} and ${secrets.length} secrets of webhooks can be opened`;
  return [reportOk('sealed-secrets', { found })];
};
