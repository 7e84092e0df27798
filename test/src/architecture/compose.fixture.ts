import { parse } from 'yaml';
import { read } from './tree.fixture.ts';

export interface Container {
  readonly image: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly environment?: Readonly<Record<string, string>>;
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
/** Started with `--profile monitoring` alone. */
export const monitors = ['prometheus', 'grafana'] as const;
export const services = ['command-api', 'worker', 'projectors', 'query-api'] as const;

/** The compiled program of a service, by its workspace. */
export const programOf = (service: string): string =>
  service === 'worker' ? 'command-api/dist/worker-main.js' : `${service}/dist/main.js`;

export const container = (name: string): Container => {
  const found = compose.services[name];
  if (!found) throw new Error(`docker-compose.yml has no ${name}`);
  return found;
};

/** `${NAME:?why}` must be set, `${NAME:-standard}` may be; no other form is used. */
const hole = /\$\{([A-Z0-9_]+):([?-])([^}]*)\}/g;

export interface Hole {
  readonly name: string;
  readonly required: boolean;
}

const textsOf = ({ environment = {}, command = [] }: Container): readonly string[] => [
  ...Object.values(environment),
  ...command,
];

/** Every variable the file takes from outside. */
export const holes: readonly Hole[] = Object.values(compose.services)
  .flatMap(textsOf)
  .flatMap((text) => [...text.matchAll(hole)])
  .map(([, name = '', kind]) => ({ name, required: kind === '?' }));

/** The text as docker compose would fill it in; throws where a required variable is not set. */
export const filled = (text: string, env: Readonly<Record<string, string>>): string => {
  const done = text.replaceAll(hole, (_, name: string, kind: string, rest: string) => {
    const value = env[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`${name} is not set`);
    return rest;
  });
  if (done.includes('$')) throw new Error(`${text} has a form of interpolation this reader does not know`);
  return done;
};
