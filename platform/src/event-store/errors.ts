import {
  AccessDeniedError,
  DeadlineExceededError,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  RequiredMetadataPropertyMissingError,
  StreamDeletedError,
  StreamNotFoundError,
  TimeoutError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';

export class WrongExpectedVersion extends Error {
  override readonly name = 'WrongExpectedVersion';
}

export class StreamDeleted extends Error {
  override readonly name = 'StreamDeleted';
}

export type RejectionReason = 'too-large' | 'invalid';

/** The store rejected an append permanently: nothing was written, and a retry would be rejected again. */
export class EventStoreRejected extends Error {
  override readonly name = 'EventStoreRejected';
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** `no-leader`: no leader was found, for example while the cluster elects one. `login-rejected`: the user or the password is wrong. */
export type UnavailableReason = 'no-leader' | 'access-denied' | 'login-rejected';

/**
 * An append may have been written. Rejected credentials also cause this error, because a retry succeeds once an operator has corrected
 * them.
 */
export class EventStoreUnavailable extends Error {
  override readonly name: string = 'EventStoreUnavailable';
  readonly reason: UnavailableReason | undefined;

  constructor(message: string, { reason, ...options }: ErrorOptions & { readonly reason?: UnavailableReason } = {}) {
    super(message, options);
    this.reason = reason;
  }
}

/** A read reached a damaged record of the log. Every retry fails at the same record until an operator has repaired the log. */
export class EventLogDamaged extends EventStoreUnavailable {
  override readonly name = 'EventLogDamaged';
}

export const isStreamMissing = (error: unknown): boolean => error instanceof StreamNotFoundError;

/** A new subscription after the last received event loses nothing. The client converts the gRPC status ABORTED to TimeoutError. */
export const isSlowReaderError = (error: unknown): boolean =>
  error instanceof TimeoutError && /consumer too slow|resubscription required/i.test(error.message);

/** The store may still write the append. */
export const isAppendTimeout = (error: unknown): boolean =>
  error instanceof DeadlineExceededError || error instanceof TimeoutError;

const [invalidArgument, dataLoss, unauthenticated] = [3, 15, 16];

/** Messages of batch append errors for which @eventstore/db-client has no error class. */
const unconvertedErrors: readonly (readonly [RegExp, RejectionReason])[] = [
  [/MaximumAppend\w*SizeExceeded/, 'too-large'],
  [/BadRequest/, 'invalid'],
];

const rejectionReason = (error: unknown): RejectionReason | undefined => {
  if (error instanceof MaxAppendSizeExceededError) return 'too-large';
  if (error instanceof RequiredMetadataPropertyMissingError || error instanceof InvalidArgumentError) return 'invalid';
  if (!(error instanceof UnknownError)) return undefined;
  if (Number(error.code) === invalidArgument) return 'invalid';
  return unconvertedErrors.find(([name]) => name.test(error.message))?.[1];
};

const rejectionMessage = (error: unknown, reason: RejectionReason): string => {
  if (error instanceof MaxAppendSizeExceededError)
    return `the event store accepts at most ${error.maxAppendSize} bytes in one append`;
  const message = error instanceof Error ? error.message : '';
  return message === '' ? `the event store rejected the append: ${reason}` : message;
};

/** Messages of the client while EventStoreDB 24.10 elects a leader. */
const electionMessages = [/^Failed to discover after/, /Server Is Not Ready/i, /No leader info/i, /not.?leader/i];

/** The server answers appends with the error `Unknown` and no message while it changes its role. */
const isUnexplained = (error: unknown): boolean => error instanceof UnknownError && error.message === '';

const unavailableReason = (error: unknown): UnavailableReason | undefined => {
  if (error instanceof AccessDeniedError)
    return Number(error.code) === unauthenticated ? 'login-rejected' : 'access-denied';
  if (error instanceof NotLeaderError || isUnexplained(error)) return 'no-leader';
  const message = error instanceof Error ? error.message : '';
  return electionMessages.some((known) => known.test(message)) ? 'no-leader' : undefined;
};

const unavailableTexts: Readonly<Record<UnavailableReason, string>> = {
  'no-leader': 'the event store has no leader, or it was not found',
  'access-denied': 'the event store denies access to the login',
  'login-rejected': 'the event store rejects the login',
};

const toUnavailable = (error: unknown): EventStoreUnavailable => {
  const reason = unavailableReason(error);
  const detail = error instanceof Error ? error.message : String(error);
  const text = reason ? unavailableTexts[reason] : 'the event store gave no reason';
  const message = detail === '' ? text : reason ? `${text}: ${detail}` : detail;
  return new EventStoreUnavailable(message, { cause: error, ...(reason && { reason }) });
};

/** The client throws a plain Error if the server is down during an append, so an unknown error becomes EventStoreUnavailable. */
export const toEventStoreError = (error: unknown): Error => {
  if (error instanceof WrongExpectedVersionError) return new WrongExpectedVersion(error.message, { cause: error });
  if (error instanceof StreamDeletedError) return new StreamDeleted(error.message, { cause: error });
  if (error instanceof EventStoreUnavailable) return error;
  if (error instanceof UnknownError && Number(error.code) === dataLoss)
    return new EventLogDamaged(error.message.replace(/^\d+ DATA_LOSS: /, ''), { cause: error });
  const reason = rejectionReason(error);
  if (reason) return new EventStoreRejected(reason, rejectionMessage(error, reason), { cause: error });
  return toUnavailable(error);
};
