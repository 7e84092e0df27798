export type Note = (message: string, fields: Readonly<Record<string, unknown>>) => void;

export interface Damage {
  readonly file: string;
  /** Log position where the damage begins, if it is known. */
  readonly position?: number;
  /** The end of a sentence that begins with the file. */
  readonly what: string;
  /** Number of intact events after the damage; undefined if they were not counted. */
  readonly eventsAfter?: number;
}

export const describeDamage = ({ file, position, what, eventsAfter }: Damage): string => {
  const place = position === undefined ? file : `${file}, position ${position}`;
  const after = eventsAfter === undefined ? '' : `; ${eventsAfter} whole events follow`;
  return `${place}: ${what}${after}`;
};

export class LogDamagedError extends Error {
  override readonly name = 'LogDamagedError';

  constructor(dir: string, damages: readonly Damage[]) {
    const listed = damages.slice(0, 3).map((damage) => `  ${describeDamage(damage)}`);
    const more = damages.length > listed.length ? [`  and ${damages.length - listed.length} more`] : [];
    super(
      [
        `the event log in ${dir} is damaged, so the node does not start. No acknowledged event was removed.`,
        ...listed,
        ...more,
        `Restore a backup, or run: popsvc log verify ${dir} (shows all damage), then: popsvc log repair ${dir}. ` +
          'Until then, the node can serve what is whole with --read-only.',
      ].join('\n'),
    );
  }
}

export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
  readonly position: number;

  constructor(path: string, position: number) {
    super(`the event log is damaged: no whole record at position ${position} of ${path}; run: popsvc log verify`);
    this.position = position;
  }
}

/** Nothing of the append was stored, because the disk is full or the node is read-only. The client can repeat the append. */
export class LogNotWritableError extends Error {
  override readonly name = 'LogNotWritableError';
}

export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
