/** Who asks, once that is proven. */
export type Principal = ApiKeyPrincipal | ClientPrincipal | OperatorPrincipal;

export interface ApiKeyPrincipal {
  readonly kind: 'api-key';
  readonly keyId: string;
  readonly network: number;
  /** Vendor code. */
  readonly vendor: string;
  readonly rates: Rates;
}

/** How much an API key may send; twice as much may come at once. */
export interface Rates {
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
}

export interface ClientPrincipal {
  readonly kind: 'client';
  readonly clientId: string;
  /** As the token says, in its order; the first is the default. */
  readonly networkIds: readonly number[];
}

/** For how long a browser is let in. */
export interface ActiveOperatorSession {
  /** ms since 1970 */
  readonly expiresAtMs: number;
  /** False once its time is over, or somebody signed out of it: what is followed ends then, too. */
  isActive(): boolean;
}

export interface OperatorPrincipal {
  readonly kind: 'operator';
  /** Undefined for who presents the token itself. */
  readonly session?: ActiveOperatorSession;
}

/**
 * Whom a route lets in. `ingest`: API keys. `reporting`: API keys and client tokens. `operator`: the operator token, or a session
 * that was opened with it.
 * `monitoring`: who asks from this machine, else the operator.
 */
export type Access = 'public' | 'ingest' | 'reporting' | 'operator' | 'monitoring';
