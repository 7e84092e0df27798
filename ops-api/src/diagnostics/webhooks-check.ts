import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { countDeliveries, type Queryable } from '@popsvc/platform/postgres';

/** Reports notices that were not delivered in all attempts. */
export const checkWebhooks = async ({ postgres }: { readonly postgres: Queryable }): Promise<readonly Finding[]> => {
  const { pending, dead, subscriptionsWithDead } = await countDeliveries(postgres);
  if (dead === 0) return [reportOk('webhooks', { found: `no dead letters; ${pending} notices are pending` })];
  return [
    reportProblem('webhooks', 'dead-letters', {
      found: `${dead} notices for ${subscriptionsWithDead} subscriptions are dead letters`,
    }),
  ];
};
