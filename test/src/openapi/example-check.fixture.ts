import type { OpenApiDocument } from '@popsvc/http-kit/openapi';
import { findSecrets } from '@popsvc/tools/rig';
import { bodyCheck } from './answer-check.ts';
import { closed, resolved } from './closed-replies.ts';

type Json = Readonly<Record<string, unknown>>;

interface Content {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Binary files need no example. */
const needsExample = ({ schema }: Content): boolean => schema['format'] !== 'binary';

const examplesOf = ({ example, examples = {} }: Content): readonly unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

export interface ResponseBody {
  readonly where: string;
  readonly type: string;
  readonly content: Content;
}

/** Lists the bodies of all responses of a document. */
export const responseBodies = (document: OpenApiDocument): readonly ResponseBody[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, { readonly responses: Readonly<Record<string, Json>> }>>).flatMap(
      ([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, response]) => {
          const media = (resolved(document, response)['content'] ?? {}) as Readonly<Record<string, Content>>;
          const where = `${method.toUpperCase()} ${path} ${status}`;
          return Object.entries(media).map(([type, content]) => ({ where: `${where} ${type}`, type, content }));
        }),
    ),
  );

/** Finds response bodies without an example, and examples that have a secret or do not match the closed schema. */
export const findExampleProblems = (document: OpenApiDocument): readonly string[] => {
  const wrongBody = bodyCheck(closed(document.components['schemas']) as Json);
  return responseBodies(document).flatMap(({ where, type, content }) => {
    const examples = examplesOf(content);
    if (examples.length === 0) return needsExample(content) ? [`${where}: has no example`] : [];
    const secrets = findSecrets(JSON.stringify(examples)).map((secret) => `the secret ${secret}`);
    const schema = closed(content.schema) as Json;
    const wrong = examples.map((example) =>
      type === 'application/json'
        ? wrongBody(JSON.stringify(schema), schema, example)
        : typeof example === 'string' && example !== ''
          ? undefined
          : 'the example is not a text',
    );
    return [...secrets, ...wrong.filter((problem) => problem !== undefined)].map((problem) => `${where}: ${problem}`);
  });
};
