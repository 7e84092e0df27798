import { Refusal } from '@popsvc/contracts/errors';

const types = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;
export type BodyKind = keyof typeof types;

/** Refuses a content type other than the one due; a charset, where one is named, must be UTF-8. */
export const requireMediaType = (kind: BodyKind, header: string | undefined): void => {
  if (header === types[kind]) return;
  const [type = '', ...parameters] = (header ?? '').split(';');
  if (type.trim().toLowerCase() !== types[kind])
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${types[kind]}.`);
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'charset' && !/^"?utf-?8"?$/i.test(value.trim()))
      throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The charset of the body must be UTF-8.');
  }
};
