/** Names one request that may be told again: the same key of another credential or route is another request. */
export interface RequestKey {
  readonly credential: string;
  readonly route: string;
  readonly key: string;
}

/** A condition on rows of `idempotency_keys`, with its three values. */
export const sameRequest = 'credential = $1 AND route = $2 AND key = $3';
export const requestValues = ({ credential, route, key }: RequestKey): readonly string[] => [credential, route, key];
