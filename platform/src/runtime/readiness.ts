/**
 * Resolves with the result of `degraded` if a part of the service does not work. Rejects with NotReadyError if the dependency answers but
 * is not ready.
 */
export type ReadinessCheck = () => Promise<unknown>;

export class Degraded {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export const degraded = (reason: string): unknown => new Degraded(reason);

/** The response of `/readyz` contains the message. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}
