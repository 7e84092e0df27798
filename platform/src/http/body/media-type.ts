import { ApiError } from '@popsvc/contracts/errors';

/** Refuses a content type other than the one due; a charset, where one is named, must be UTF-8. */
export const requireMediaType = (due: string, header: string | undefined): void => {
  if (header === due) return;
  const [type = '', ...parameters] = (header ?? '').split(';');
  if (type.trim().toLowerCase() !== due) throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${due}.`);
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'charset' && !/^"?utf-?8"?$/i.test(value.trim()))
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The charset of the body must be UTF-8.');
  }
};
