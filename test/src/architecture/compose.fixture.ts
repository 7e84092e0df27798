import { parse } from 'yaml';
import { read } from './tree.fixture.ts';

export interface Container {
  readonly image: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: unknown;
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
  readonly secrets?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

export interface Compose {
  readonly services: Readonly<Record<string, Container>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose;
export const stores = ['eventstore', 'clickhouse', 'nats', 'postgres'] as const;
/** Started only with `--profile monitoring`. */
export const monitors = ['prometheus', 'grafana'] as const;
/** Containers that end after they have done their work. */
export const jobs = ['eventstore-login'] as const;
export const services = ['command-api', 'worker', 'projectors', 'query-api'] as const;

/** The compiled program of a service, by its workspace. */
export const programOf = (service: string): string =>
  service === 'worker' ? 'command-api/dist/worker-main.js' : `${service}/dist/main.js`;

export const container = (name: string): Container => {
  const found = compose.services[name];
  if (!found) throw new Error(`docker-compose.yml has no ${name}`);
  return found;
};

/** `${NAME:?message}` is required, `${NAME:-default}` is optional; the file uses no other form. */
const placeholder = /\$\{([A-Z0-9_]+):([?-])([^}]*)\}/g;

export interface Placeholder {
  readonly name: string;
  readonly required: boolean;
}

const textsOf = ({ environment = {}, command = [] }: Container): readonly string[] => [
  ...Object.values(environment),
  ...command,
];

/** All variables that the file reads from the environment. */
export const placeholders: readonly Placeholder[] = Object.values(compose.services)
  .flatMap(textsOf)
  .flatMap((text) => [...text.matchAll(placeholder)])
  .map(([, name = '', kind]) => ({ name, required: kind === '?' }));

/** Replaces placeholders as docker compose does; throws if a required variable is not set. */
export const substitute = (text: string, env: Readonly<Record<string, string>>): string => {
  const result = text.replaceAll(placeholder, (_, name: string, kind: string, rest: string) => {
    const value = env[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`${name} is not set`);
    return rest;
  });
  if (result.includes('$')) throw new Error(`${text} has an unsupported form of interpolation`);
  return result;
};
