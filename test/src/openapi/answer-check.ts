import type { SentResponse } from '@popsvc/http-kit/server';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { wrongHeaders } from '../security/protective-headers.ts';
import type { ClosedReplies } from './closed-replies.ts';

/**
 * Creates the check of a JSON value against a schema that refers to the components. The check returns a description of the first problem,
 * or undefined. It compiles a schema once for each key.
 */
export const bodyCheck = (components: ClosedReplies['components']) => {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  formats.default(ajv);
  const compiled = new Map<string, ValidateFunction>();

  const validatorOf = (key: string, schema: object): ValidateFunction => {
    const known = compiled.get(key);
    if (known) return known;
    const made = ajv.compile({ ...schema, components: { schemas: components } });
    compiled.set(key, made);
    return made;
  };

  return (key: string, schema: object, body: unknown): string | undefined => {
    const validate = validatorOf(key, schema);
    if (validate(body)) return undefined;
    const [error] = validate.errors ?? [];
    const more = JSON.stringify(error?.params ?? {});
    return `the body does not fit: ${error?.instancePath ?? ''} ${error?.message ?? ''} ${more}`;
  };
};

/**
 * Creates the check of a response against the documents and against the headers of every response. The check returns a description of the
 * first problem, or undefined if there is none or the path is not documented.
 */
export const answerCheck = ({ operations, components }: ClosedReplies) => {
  const checkBody = bodyCheck(components);

  const wrongBody = (key: string, schema: object, content: string | Buffer): string | undefined => {
    let body: unknown;
    try {
      body = JSON.parse(content.toString());
    } catch {
      return 'the body is not JSON';
    }
    return checkBody(key, schema, body);
  };

  return ({ method, path, status, headers, content }: SentResponse): string | undefined => {
    const operationKey = `${method === 'HEAD' ? 'GET' : method} ${path ?? ''}`;
    const unprotected = wrongHeaders({ path, headers });
    if (unprotected !== undefined) return `${operationKey} answered ${status} ${unprotected}`;
    const operation = operations[operationKey];
    if (!operation) return undefined;
    const media = operation.replies[String(status)];
    const what = `${operationKey} answered ${status}`;
    if (!media) return `${what}, which its description does not know`;
    const type = headers['Content-Type']?.split(';')[0];
    if (type === undefined) return Object.keys(media).length > 0 ? `${what} without a content type` : undefined;
    const schema = media[type];
    if (!schema) return `${what} as ${type}, which its description does not know`;
    if (type !== 'application/json' || content === undefined) return undefined;
    const wrong = wrongBody(`${operationKey} ${status}`, schema, content);
    return wrong && `${what}, but ${wrong}: ${content.toString().slice(0, 400)}`;
  };
};
