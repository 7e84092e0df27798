import { createCheck, warning } from '@popsvc/contracts/diagnostics';
import { countDeliveries } from '@popsvc/platform/postgres';
import type { ServiceEvaluation } from '../dependencies.ts';

const check = createCheck('webhooks', 'Notices are delivered to their subscribers.', {
  'dead-letters': warning(
    '`popsvc webhooks list` shows the subscriptions, `popsvc webhooks deliveries ID --state dead` why theirs failed. Ask the subscriber, then post them again with `popsvc webhooks redeliver ID`. They are deleted after 30 days.',
  ),
});

export const webhooks: ServiceEvaluation = {
  check,
  needs: ['postgresql'],
  async evaluate({ postgres }) {
    const { pending, dead, subscriptionsWithDead } = await countDeliveries(postgres);
    if (dead === 0) return [check.ok({ found: `no dead letters; ${pending} notices are pending` })];
    return [
      check.problem('dead-letters', {
        found: `${dead} notices for ${subscriptionsWithDead} subscriptions are dead letters`,
      }),
    ];
  },
};
