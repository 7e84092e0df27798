import { createCheck, type Finding, warning } from '@popsvc/contracts/diagnostics';
import { PLAY_REFERENCES } from '@popsvc/contracts/responses';
import type { UnknownReference } from '@popsvc/read-models/queries';
import { listUnknownReferences } from '../../unknown-references/queries.ts';
import type { ShardEvaluation } from '../dependencies.ts';

const check = createCheck('unknown-references', 'The registry contains all ids in plays of the last 24 hours.', {
  found: warning(
    '`popsvc events unknown-references` lists them. Add them to the registry, or ask the vendor to correct them; the plays are stored and need not be sent again.',
  ),
});

const referenceNames = { screenId: 'screen', campaignId: 'campaign', creativeId: 'creative' } as const;

const maxReferences = 1_000;

const countNoun = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const describeReferencesOfVendor = (vendor: string, references: readonly UnknownReference[]): string => {
  const counts = PLAY_REFERENCES.map((field) => ({
    name: referenceNames[field],
    count: references.filter((reference) => reference.field === field).length,
  }));
  const named = counts.filter(({ count }) => count > 0).map(({ name, count }) => countNoun(count, name));
  return `${vendor}: ${named.join(', ')}`;
};

const judgeUnknownReferences = (references: readonly UnknownReference[]): Finding => {
  if (references.length === 0) return check.ok({ found: 'none in plays of the last 24 h' });
  const vendors = [...new Set(references.map(({ vendor }) => vendor))].map((vendor) =>
    describeReferencesOfVendor(
      vendor,
      references.filter((reference) => reference.vendor === vendor),
    ),
  );
  const atLeast = references.length >= maxReferences ? 'at least ' : '';
  const found = `${atLeast}${countNoun(references.length, 'unknown id')} in plays of the last 24 h; ${vendors.join('; ')}`;
  return check.problem('found', { found });
};

export const unknownReferences: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse'],
  async evaluate({ reader }) {
    const from = Date.now() - 86_400_000;
    return [judgeUnknownReferences(await listUnknownReferences(reader, { from, limit: maxReferences }))];
  },
};
