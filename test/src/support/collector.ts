import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** OTLP span kind: 1 internal, 2 server, 3 client, 4 producer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Ids of the linked traces. */
  readonly links: readonly string[];
  /** OTLP status code: 2 is an error. */
  readonly status: number;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number };
}

interface ExportedTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Pick<ReceivedSpan, 'name' | 'traceId' | 'spanId' | 'kind'> & {
        readonly parentSpanId?: string;
        readonly attributes: readonly Attribute[];
        readonly links?: readonly { readonly traceId: string }[];
        readonly status: { readonly code?: number };
      })[];
    }[];
  }[];
}

const fieldsOf = (attributes: readonly Attribute[]): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue === undefined ? value.doubleValue! : Number(value.intValue)),
    ]),
  );

const spansIn = ({ resourceSpans }: ExportedTraces): readonly ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ parentSpanId = '', attributes, links = [], status, ...span }) => ({
        ...span,
        parentSpanId,
        service: String(fieldsOf(resource.attributes)['service.name']),
        attributes: fieldsOf(attributes),
        links: links.map(({ traceId }) => traceId),
        status: status.code ?? 0,
      })),
    ),
  );

/** Receives traces like an OpenTelemetry collector: OTLP over HTTP, JSON. */
export interface TestCollector {
  readonly url: string;
  /** Environment of a process that exports its traces to this collector, every 200 ms. */
  readonly env: Readonly<Record<string, string>>;
  spans(): readonly ReceivedSpan[];
  /** Everything received, unparsed: request headers first, then the bodies. */
  received(): string;
  /** Closes the port and all connections. */
  stop(): Promise<void>;
}

export const startTestCollector = async (port = 0): Promise<TestCollector> => {
  const [bodies, heads]: [string[], string[]] = [[], []];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      heads.push(`${request.url} ${request.rawHeaders.join(' ')}`);
      bodies.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '200' },
    spans: () => bodies.flatMap((body) => spansIn(JSON.parse(body) as ExportedTraces)),
    received: () => [...heads, ...bodies].join('\n'),
    async stop() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
};
