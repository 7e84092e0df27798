/** Proof of who asks. */
export interface Credential {
  /** To send with a request. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Told of headers that were answered with 401; whether asking again with new ones makes sense. */
  refused(headers: Readonly<Record<string, string>>): boolean;
}
