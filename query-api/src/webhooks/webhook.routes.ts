import { NewVendorWebhook, NewWebhook } from '@popsvc/contracts/webhooks';
import { unauthorized } from '@popsvc/http-kit/auth';
import { parseBody, type Route, type RouteRequest } from '@popsvc/http-kit/server';
import type { Postgres, SecretSealer } from '@popsvc/platform/postgres';
import { type AddressRange } from '@popsvc/platform/webhook-requests';
import { partnerWebhooks, vendorWebhooks, webhookRoutes } from '@popsvc/http-kit/webhooks';
import { networkHeader, type Scope } from '../scope/scope.ts';
import { requireVendor } from '../scope/vendor.ts';

export interface WebhooksDependencies {
  readonly postgres: Postgres;
  readonly secretSealer: SecretSealer;
  readonly scope: Scope;
  /** Ranges of internal addresses to which webhooks may post. */
  readonly openedAddresses: readonly AddressRange[];
}

/** Throws UNAUTHORIZED for credentials other than access tokens: vendors subscribe under `/popsvc/v1`. */
const requireClient = ({ principal }: RouteRequest): string => {
  if (principal?.kind === 'client') return principal.clientId;
  throw unauthorized('This endpoint takes access tokens. With an API key, use /popsvc/v1/webhooks.');
};

const partnerRoutes = ({ postgres, secretSealer, scope, openedAddresses }: WebhooksDependencies): readonly Route[] =>
  webhookRoutes({
    declarations: partnerWebhooks(networkHeader),
    postgres,
    secretSealer,
    opened: openedAddresses,
    isEnveloped: true,
    selectWebhooks: async (request) => ({
      clientId: requireClient(request),
      networks: await scope.resolveNetworks(request),
    }),
    async readRequested(request) {
      const clientId = requireClient(request);
      const networkId = await scope.resolveNetwork(request);
      return { networkId, clientId, ...parseBody(NewWebhook, request.body) };
    },
  });

const vendorRoutes = ({ postgres, secretSealer, openedAddresses }: WebhooksDependencies): readonly Route[] =>
  webhookRoutes({
    declarations: vendorWebhooks,
    postgres,
    secretSealer,
    opened: openedAddresses,
    isEnveloped: true,
    selectWebhooks({ principal }) {
      const { network, vendor } = requireVendor(principal);
      return { networks: [network], vendor };
    },
    readRequested({ principal, body }) {
      const { network, vendor } = requireVendor(principal);
      return Promise.resolve({ networkId: network, vendor, ...parseBody(NewVendorWebhook, body) });
    },
  });

export const webhooksRoutes = (dependencies: WebhooksDependencies): readonly Route[] => [
  ...partnerRoutes(dependencies),
  ...vendorRoutes(dependencies),
];
