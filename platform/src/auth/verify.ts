import type { Principal } from './principal.ts';

/** Whose credential this is; undefined when it is not good here. */
export type VerifyCredential = (credential: string) => Promise<Principal | undefined>;
