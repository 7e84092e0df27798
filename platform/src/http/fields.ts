import type { FormFields } from './asked.ts';

const none: FormFields = Object.freeze(Object.create(null) as FormFields);

/** Query or form text as fields. Without a prototype, so that no name means anything special. */
export const fieldsOf = (text: string): FormFields => {
  if (text === '') return none;
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields[name];
    if (before === undefined) fields[name] = value;
    else if (typeof before === 'string') fields[name] = [before, value];
    else before.push(value);
  }
  return fields;
};
