type Counts = Readonly<Record<string, number>>;

export interface AppliedRegistry {
  readonly created: Counts;
  readonly changed: Counts;
  readonly retired: Counts;
  readonly unchanged: Counts;
  readonly dry_run: boolean;
  readonly changes: readonly {
    readonly kind: string;
    readonly key: string;
    readonly change: 'created' | 'changed' | 'retired';
    readonly fields: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  }[];
}

const marks = { created: '+', changed: '~', retired: '-' } as const;

const sum = (counts: Counts): number => Object.values(counts).reduce((all, count) => all + count, 0);

const nameOf = (fields: AppliedRegistry['changes'][number]['fields']): string => {
  const name = (fields['name'] ?? fields['title'])?.to;
  return typeof name === 'string' ? `  ${name}` : '';
};

const linesOf = ({ kind, key, change, fields }: AppliedRegistry['changes'][number]): string[] =>
  change === 'created'
    ? [`${marks.created} ${kind} ${key}${nameOf(fields)}`]
    : [
        `${marks[change]} ${kind} ${key}`,
        ...Object.entries(fields).map(
          ([name, { from, to }]) => `    ${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
        ),
      ];

/** What applying a registry file did, or would do, as a diff and its counts. */
export const toldRegistry = (applied: AppliedRegistry): string => {
  const { created, changed, retired, unchanged, dry_run: dryRun, changes } = applied;
  const counts = `${sum(created)} created, ${sum(changed)} changed, ${sum(retired)} retired, ${sum(unchanged)} unchanged`;
  return [...changes.flatMap(linesOf), dryRun ? `Would be: ${counts}. Nothing was changed.` : `${counts}.`].join('\n');
};
