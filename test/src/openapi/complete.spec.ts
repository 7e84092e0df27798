import type { Route } from '@popsvc/http-kit/server';
import { operationIdOf } from '@popsvc/http-kit/openapi';
import { expect } from 'chai';
import { describedServers } from '@popsvc/tools/reference-pages';

interface Parametrised {
  readonly parameters?: readonly { readonly name: string; readonly schema: { readonly type?: unknown } }[];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Whether a schema has a description, or is a reference to a schema that has one. */
const isDescribed = (schema: unknown, document: Json): boolean => {
  if (!isObject(schema)) return false;
  if (typeof schema['description'] === 'string') return schema['description'].trim() !== '';
  const { $ref: ref } = schema;
  if (typeof ref !== 'string') return false;
  const target = ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), document);
  return isDescribed(target, document);
};

/** Returns the places of all properties of schemas in a part of a document that have no description. */
const findMissingDescriptions = (part: unknown, path: string, document: Json): readonly string[] => {
  if (!isObject(part)) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (['example', 'examples', 'default', 'enum', 'const'].includes(key)) return [];
    if (key !== 'properties' || !isObject(value)) return findMissingDescriptions(value, `${path}/${key}`, document);
    return Object.entries(value).flatMap(([name, schema]) => [
      ...(isDescribed(schema, document) ? [] : [`${path}/${name}`]),
      ...findMissingDescriptions(schema, `${path}/${name}`, document),
    ]);
  });
};

const formatRoute = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
const parametersIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');

describe('the description of every route', () => {
  for (const { name, routes, document } of describedServers) {
    const open = routes.filter(({ isInternal }) => !isInternal);

    it(`${name}: has a unique operation id`, () => {
      const names = open.map(operationIdOf);
      expect(open.filter(({ operationId }) => operationId === undefined).map(formatRoute)).to.deep.equal([]);
      expect(new Set(names).size).to.equal(names.length);
      for (const one of names) expect(one).to.match(/^[a-z][A-Za-z0-9]+$/);
    });

    it(`${name}: has responses`, () => {
      const incomplete = open.filter(
        ({ schemas }) => Object.keys({ ...schemas?.responses, ...schemas?.otherResponses }).length === 0,
      );
      expect(incomplete.map(formatRoute)).to.deep.equal([]);
    });

    it(`${name}: has every parameter of the path`, () => {
      const unknown = open.filter(({ path, schemas }) => {
        const known = Object.keys(schemas?.params?.shape ?? {}).sort();
        return known.join() !== parametersIn(path).sort().join();
      });
      expect(unknown.map(formatRoute)).to.deep.equal([]);
    });

    it(`${name}: has a type for every parameter, which generated clients and the page need`, () => {
      const parameters = Object.values(document.paths).flatMap((methods) =>
        Object.values(methods).flatMap((operation) => (operation as Parametrised).parameters ?? []),
      );
      expect(parameters).not.to.have.length(0);
      expect(parameters.filter(({ schema }) => typeof schema.type !== 'string').map((one) => one.name)).to.deep.equal(
        [],
      );
      const repeated = parameters.filter((one) => /^(site|location)_id$/.test(one.name));
      expect(repeated.filter(({ schema }) => schema.type !== 'array')).to.deep.equal([]);
    });

    it(`${name}: has a description of every property`, () => {
      const whole = document as unknown as Json;
      expect(findMissingDescriptions(whole, '', whole)).to.deep.equal([]);
    });

    it(`${name}: has a body if the route reads one`, () => {
      const incomplete = open.filter(({ body, schemas }) =>
        body === 'stream' ? !schemas?.requestFiles : (body !== undefined) !== (schemas?.body !== undefined),
      );
      expect(incomplete.map(formatRoute)).to.deep.equal([]);
    });

    it(`${name}: has an example request`, () => {
      expect(open.filter(({ examples = [] }) => examples.length === 0).map(formatRoute)).to.deep.equal([]);
    });

    it(`${name}: has a group`, () => {
      const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      expect(operations).to.have.length(open.length);
      expect(operations.filter((operation) => !('tags' in operation))).to.deep.equal([]);
    });
  }

  it('has the binary format of files that are not text', () => {
    const binary = describedServers.flatMap(({ document }) =>
      [
        ...JSON.stringify(document).matchAll(/"(application\/[^"]+)":\{"schema":\{"type":"string","format":"binary"/g),
      ].map(([, type]) => type),
    );
    expect(new Set(binary)).to.deep.equal(new Set(['application/vnd.apache.parquet']));
  });
});
