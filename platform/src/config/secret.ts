import { inspect } from 'node:util';
import { z } from 'zod';

/** A value that does not print: not in a log, not in JSON, not in an error. `reveal()` is the only way to it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

export const secret = (minLength = 1) =>
  z
    .string({ error: 'is not set' })
    .min(minLength)
    .transform((value) => new Secret(value));
