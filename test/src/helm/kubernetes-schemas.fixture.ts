import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import ts from 'typescript';

/** A Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

const kinds = [
  'v1/PersistentVolumeClaim',
  'v1/Service',
  'v1/ServiceAccount',
  'apps/v1/Deployment',
  'apps/v1/StatefulSet',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'monitoring.coreos.com/v1/ServiceMonitor',
  'networking.k8s.io/v1/Ingress',
  'networking.k8s.io/v1/NetworkPolicy',
  'policy/v1/PodDisruptionBudget',
];

const { resolve } = createRequire(import.meta.url);
const declarationOf = (kind: string): string => {
  const library = kind.startsWith('monitoring.') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return resolve(`${library}/${kind}`).replace(/\.js$/, '.d.ts');
};

/**
 * Converts the interfaces of kubernetes-models, which are generated from the OpenAPI document of Kubernetes, to JSON schemas: types,
 * required fields, enums, and no other fields. The validators of that package accept unknown fields.
 */
class SchemaWriter {
  readonly #checker: ts.TypeChecker;
  readonly #names = new Map<ts.Type, string>();
  readonly definitions: Record<string, Schema> = {};

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  schemaOf(type: ts.Type): Schema {
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: this.#checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.String) return { type: 'string' };
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    // An import that cannot be resolved has the type any, and would accept everything. The models use unknown where anything is allowed.
    if (type.flags & ts.TypeFlags.Unknown) return {};
    if (type.isUnion()) return this.#unionSchema(type);
    if (this.#checker.isArrayType(type))
      return { type: 'array', items: this.schemaOf(this.#checker.getTypeArguments(type as ts.TypeReference)[0]!) };
    if (type.flags & ts.TypeFlags.Object || type.isIntersection()) return this.#objectReference(type);
    throw new Error(`no schema for ${this.#checker.typeToString(type)}`);
  }

  #unionSchema({ types }: ts.UnionType): Schema {
    const schemas = types.filter((one) => !(one.flags & ts.TypeFlags.Undefined)).map((one) => this.schemaOf(one));
    if (schemas.every((schema) => 'const' in schema)) return { enum: schemas.map((schema) => schema['const']) };
    return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
  }

  #objectReference(type: ts.Type): Schema {
    let name = this.#names.get(type);
    if (name === undefined) {
      name = `${this.#checker.typeToString(type).replace(/\W/g, '')}_${this.#names.size}`;
      this.#names.set(type, name);
      this.definitions[name] = this.#objectSchema(type);
    }
    return { $ref: `#/definitions/${name}` };
  }

  #objectSchema(type: ts.Type): Schema {
    const properties = this.#checker.getPropertiesOfType(type);
    const elements = this.#checker.getIndexInfosOfType(type)[0]?.type;
    const isOptional = (symbol: ts.Symbol) => (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    return {
      type: 'object',
      properties: Object.fromEntries(
        properties.map((symbol) => [symbol.name, this.schemaOf(this.#checker.getTypeOfSymbol(symbol))]),
      ),
      required: properties.filter((symbol) => !isOptional(symbol)).map(({ name }) => name),
      additionalProperties: elements ? this.schemaOf(elements) : false,
    };
  }
}

const compileValidators = (): ReadonlyMap<string, ValidateFunction> => {
  const paths = kinds.map(declarationOf);
  const program = ts.createProgram(paths, {
    strict: true,
    noEmit: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  });
  const checker = program.getTypeChecker();
  const ajv = new Ajv({ allErrors: true, strict: false });
  return new Map(
    kinds.map((kind, index) => {
      const source = program.getSourceFile(paths[index]!);
      const declared =
        source &&
        checker.getSymbolAtLocation(source)?.exports?.get(ts.escapeLeadingUnderscores(`I${kind.split('/').at(-1)}`));
      if (!declared) throw new Error(`kubernetes-models does not declare ${kind}`);
      const writer = new SchemaWriter(checker);
      const schema = writer.schemaOf(checker.getDeclaredTypeOfSymbol(declared));
      return [kind, ajv.compile({ ...schema, definitions: writer.definitions })];
    }),
  );
};

let validators: ReadonlyMap<string, ValidateFunction> | undefined;

/** Returns what is wrong with a manifest: unknown or missing fields, and values of a wrong type. */
export const findSchemaErrors = (manifest: Manifest): readonly string[] => {
  validators ??= compileValidators();
  const { apiVersion, kind, metadata } = manifest;
  const validate = validators.get(`${apiVersion}/${kind}`);
  if (!validate) return [`${apiVersion}/${kind} has no schema`];
  validate(manifest);
  return (validate.errors ?? []).map(
    ({ instancePath, message = '', params }) =>
      `${kind} ${metadata.name}${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
};
