import { createCheck, failed, type Finding, storeProblems } from '@popsvc/contracts/diagnostics';
import { EventStoreUnavailable, type StoreRight } from '@popsvc/platform/event-store';
import type { ServiceEvaluation } from '../dependencies.ts';
import { reportFailure } from '../failures.ts';

const check = createCheck(
  'event-store',
  'The event store answers, and the login of the service may read $all and append.',
  {
    ...storeProblems('event-store'),
    'no-leader': failed(
      'A cluster elects a leader within seconds. If this stays, more than half of its nodes must run and reach each other, and EVENTSTORE_URL must have the right hosts, tls and tlsCaFile.',
    ),
    'rights-missing': failed(
      'Run `popsvc eventstore grant` with the password of an administrator; EVENTSTORE_URL must contain the login of the service.',
    ),
  },
);

const rightTexts: Readonly<Record<StoreRight, string>> = {
  'read-all': 'read $all',
  append: 'append to streams',
};

export const reportEventStoreFailure = (error: unknown): Finding =>
  error instanceof EventStoreUnavailable && error.reason === 'no-leader'
    ? check.problem('no-leader', { found: `answers no request: ${error.message}` })
    : reportFailure(check, error);

export const eventStore: ServiceEvaluation = {
  check,
  async evaluate({ store }) {
    try {
      const missing = await store.findMissingRights();
      if (missing.length === 0)
        return [check.ok({ found: `answers; the log ends at ${await store.readHeadPosition()}` })];
      const rights = missing.map((right) => rightTexts[right]).join(' or ');
      return [check.problem('rights-missing', { found: `answers; the login may not ${rights}` })];
    } catch (error) {
      return [reportEventStoreFailure(error)];
    }
  },
};
