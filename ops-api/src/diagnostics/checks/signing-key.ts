import { createCheck, warning } from '@popsvc/contracts/diagnostics';
import { readCurrentSigningKey } from '@popsvc/platform/postgres';
import type { ServiceEvaluation } from '../dependencies.ts';

const daySeconds = 86_400;
/** A key is due for rotation after 30 days; three more days allow for a delay. */
const maxKeyAgeDays = 33;

const check = createCheck('signing-key', 'The key that signs access tokens is rotated in time.', {
  old: warning('`popsvc signing-keys rotate` replaces it; it is also replaced when the next token is requested.', {
    begins: `older than ${maxKeyAgeDays} days`,
  }),
});

export const signingKey: ServiceEvaluation = {
  check,
  needs: ['postgresql'],
  async evaluate({ postgres }) {
    const key = await readCurrentSigningKey(postgres);
    if (!key)
      return [check.ok({ found: 'none: no access token was requested, or another provider issues the tokens' })];
    const days = Math.floor(key.ageSeconds / daySeconds);
    if (days > maxKeyAgeDays) return [check.problem('old', { found: `${days} days old; it is due at 30 days` })];
    return [check.ok({ found: `${days} days old` })];
  },
};
