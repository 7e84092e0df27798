/** A place in a template file. */
export interface Position {
  readonly file: string;
  /** The first line is 1. */
  readonly line: number;
}

/** A template is invalid, or uses something that this renderer does not implement. The message begins with file and line. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor({ file, line }: Position, reason: string) {
    super(`${file}:${line}: ${reason}`);
  }
}
