/**
 * Resolves if a dependency is ready. Resolves with the result of `degraded` if a part of the service does not work. Rejects with
 * NotReadyError if the dependency answers but cannot be used yet.
 */
export type ReadinessCheck = () => Promise<unknown>;

export class Degraded {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Creates the result of a readiness check that passes although a part of the service does not work. */
export const degraded = (reason: string): unknown => new Degraded(reason);

/** A dependency answers but is not ready. The response of `/readyz` contains the message. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}
