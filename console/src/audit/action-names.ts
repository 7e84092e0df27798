import type { operations } from '../generated/ops.ts';

export const actionNames = {
  openSession: 'Sign in',
  endSession: 'Sign out',
  applyRegistry: 'Apply a registry file',
  applyMapping: 'Save a mapping',
  createApiKey: 'Create an API key',
  setApiKeyRates: 'Set the limits of an API key',
  revokeApiKey: 'Revoke an API key',
  createClient: 'Create a client',
  rotateClient: 'New secret of a client',
  revokeClient: 'Revoke a client',
  rotateSigningKey: 'New signing key',
  createAnalyst: 'Create an analyst',
  revokeAnalyst: 'Revoke an analyst',
  createAccount: 'Create an account',
  setAccountRole: 'Set the role of an account',
  resetAccountPassword: 'New password of an account',
  deleteAccount: 'Delete an account',
  createOperatorWebhook: 'Create a webhook',
  redeliverOperatorWebhook: 'Redeliver notices',
  testOperatorWebhook: 'Test a webhook',
  rotateOperatorWebhook: 'New secret of a webhook',
  deleteOperatorWebhook: 'Delete a webhook',
  startReplay: 'Replay a projection',
  cancelReplay: 'Cancel a replay',
  rollBackProjection: 'Roll back a projection',
  pauseProjection: 'Pause a projection',
  resumeProjection: 'Resume a projection',
  forgetFormerSet: 'Forget a former number of shards',
  retryParked: 'Retry parked events',
  discardParked: 'Discard parked events',
  retryQuarantine: 'Retry quarantined events',
} as const satisfies Partial<Record<keyof operations, string>>;

export const actionName = (action: string): string =>
  (actionNames as Readonly<Record<string, string>>)[action] ?? action;
