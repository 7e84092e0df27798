import { type ErrorCode, errorMessages } from '@popsvc/contracts/errors';
import { httpStatusOf } from '@popsvc/platform/http';
import { code, fenced, page, table } from './markdown.ts';

const example = {
  status: false,
  message: 'limit must be between 1 and 5000',
  error: { code: 'INVALID_PARAM', details: [{ path: 'limit', message: 'limit must be between 1 and 5000' }] },
  request_id: '5f0c7a0e-6f0f-4c1e-9a3e-0c6a7a1f2b3d',
};

export const errorsPage = (): string =>
  page('Errors', '`contracts/src/errors/api-error.ts` and `platform/src/endpoints/errors.ts`', [
    'Every JSON error has this shape. Programs go by `error.code`; the message is for people and may improve. The token endpoint answers as RFC 6749, section 5.2, has it.',
    fenced('json', JSON.stringify(example, null, 2)),
    table(
      ['Code', 'Status', 'Says, when it has nothing better to say'],
      (Object.entries(errorMessages) as [ErrorCode, string][]).map(([name, message]) => [
        code(name),
        String(httpStatusOf[name]),
        message,
      ]),
    ),
  ]);
