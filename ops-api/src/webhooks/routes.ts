import { NewOperatorWebhook } from '@popsvc/contracts/webhooks';
import { parseBody, parseQuery, type Route } from '@popsvc/http-kit/server';
import type { Postgres, SecretSealer } from '@popsvc/platform/postgres';
import { type AddressRange } from '@popsvc/platform/webhook-requests';
import { operatorWebhooks, OperatorWebhooksQuery, webhookRoutes } from '@popsvc/http-kit/webhooks';
import { requireActiveNetwork, requireActiveVendor } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';

export interface WebhooksDependencies {
  readonly postgres: Postgres;
  readonly secretSealer: SecretSealer;
  /** Internal addresses to which webhooks may be sent. */
  readonly openedAddresses: readonly AddressRange[];
}

export const webhooksRoutes = (
  { postgres, secretSealer, openedAddresses }: WebhooksDependencies,
  registryLog: RegistryLog,
): readonly Route[] =>
  webhookRoutes({
    declarations: operatorWebhooks,
    postgres,
    secretSealer,
    opened: openedAddresses,
    isEnveloped: false,
    selectWebhooks: () => ({}),
    selectListed({ query }) {
      const { network, vendor } = parseQuery(OperatorWebhooksQuery, query);
      return { vendor, ...(network !== undefined && { networks: [network] }) };
    },
    async readRequested({ body }) {
      const { network, vendor, ...requested } = parseBody(NewOperatorWebhook, body);
      const current = await registryLog.readCurrent();
      if (vendor === undefined) requireActiveNetwork(current, network);
      else requireActiveVendor(current, network, vendor);
      return { networkId: network, vendor, ...requested };
    },
  });
