import { z } from 'zod';

/** The header by which a request names its network. */
export const networkHeader = z.object({
  'X-Network-Name': z
    .string()
    .optional()
    .describe(
      "Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none.",
    ),
});
