import { expect } from 'chai';

export interface ErrorBody {
  readonly status: boolean;
  readonly message: string;
  readonly error: { readonly code: string; readonly details: readonly { path: string; message: string }[] };
  readonly request_id: string;
}

/** Expects an error response with this status and code, and exactly these paths in its details. */
export const expectRefused = async (
  answer: Response,
  status: number,
  code: string,
  ...paths: readonly string[]
): Promise<ErrorBody> => {
  const body = (await answer.json()) as ErrorBody;
  expect(answer.status, JSON.stringify(body)).equal(status);
  expect(answer.headers.get('content-type')).equal('application/json; charset=utf-8');
  expect(Object.keys(body)).deep.equal(['status', 'message', 'error', 'request_id']);
  expect(body.status).equal(false);
  expect(body.message).a('string').and.not.empty;
  expect(body.error.code).equal(code);
  expect(body.error.details.map(({ path }) => path)).deep.equal(paths);
  expect(body.request_id).equal(answer.headers.get('x-request-id'));
  return body;
};
