import { type Mapping, pathSteps } from '@popsvc/contracts/mappings';

/** A column that a mapping reads and that a CSV file does not have. */
export interface MissingColumn {
  /** Where the mapping names the column, such as `fields.screenId.path`. */
  readonly field: string;
  readonly column: string;
  /** Whether no row can become a play without the column. */
  readonly isNeeded: boolean;
}

const neededFields: ReadonlySet<string> = new Set(['screenId', 'campaignId', 'creativeId']);
const timeFields = ['playedAt', 'endedAt', 'duration'] as const;

interface Source {
  readonly path?: string | undefined;
  readonly default?: unknown;
  readonly when_absent?: unknown;
  readonly offset_path?: string | undefined;
}

type Sources = Readonly<Record<string, Source | undefined>>;

const hasSubstitute = ({ default: other, when_absent: absent }: Source): boolean =>
  other !== undefined || absent !== undefined;

/** Omits a column if the mapping has a `default` or `when_absent` for it. */
export const findMissingColumns = (
  { fields, required = [] }: Mapping,
  names: readonly string[],
): readonly MissingColumn[] => {
  const columns = new Set(names);
  // A CSV row has no nested values, so a path with several steps finds nothing in it.
  const isMissing = (path: string | undefined): path is string => {
    if (path === undefined) return false;
    const [name, ...others] = pathSteps(path) ?? [];
    return typeof name !== 'string' || others.length > 0 || !columns.has(name);
  };
  const isAbsent = (source: Source | undefined): boolean =>
    source === undefined || (isMissing(source.path) && !hasSubstitute(source));
  const lacksTimes = timeFields.filter((name) => isAbsent(fields[name])).length > 1;
  const isNeeded = (name: string): boolean =>
    neededFields.has(name) || (lacksTimes && timeFields.some((time) => time === name));

  /** With a start and a duration, the mapping does not read the end, nor the offset of the end. */
  const isRead = (name: string): boolean =>
    !isAbsent((fields as Sources)[name]) &&
    (name !== 'endedAt' || isAbsent(fields.playedAt) || isAbsent(fields.duration));

  const ofFields = Object.entries(fields as Sources).flatMap(([name, source]) => {
    if (!source) return [];
    const { path, offset_path: offsetPath } = source;
    return [
      ...(isMissing(path) && !hasSubstitute(source)
        ? [{ field: `fields.${name}.path`, column: path, isNeeded: isNeeded(name) }]
        : []),
      ...(isMissing(offsetPath)
        ? [{ field: `fields.${name}.offset_path`, column: offsetPath, isNeeded: isRead(name) }]
        : []),
    ];
  });
  const ofRequired = required.flatMap((path, index) =>
    isMissing(path) ? [{ field: `required[${index}]`, column: path, isNeeded: true }] : [],
  );
  return [...ofFields, ...ofRequired];
};
