import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenRunEnds } from '../support/run-end.ts';

/** Stands before ClickHouse and keeps answers back, so that whoever asked is caught in the middle of a step. */
export interface HoldingProxy {
  readonly url: string;
  /** Keeps back the answer to the next statement that says this; resolves when it is there. What it changed is done. */
  hold(statement: RegExp): Promise<void>;
  /** Answers what was kept back. */
  release(): void;
}

export const holdingProxy = async (target: string): Promise<HoldingProxy> => {
  const { host, hostname, port, pathname } = new URL(target);
  let wanted: RegExp | undefined;
  let met = () => {};
  let letGo = () => {};
  const server = createServer((asked, answer) => {
    const forwarded = request(
      { hostname, port, path: asked.url, method: asked.method, headers: { ...asked.headers, host } },
      (answered) => {
        const pass = () => {
          answer.writeHead(answered.statusCode ?? 502, answered.headers);
          answered.pipe(answer);
        };
        if (!wanted?.test(decodeURIComponent(asked.url ?? ''))) {
          pass();
          return;
        }
        wanted = undefined;
        letGo = pass;
        met();
      },
    );
    forwarded.once('error', () => answer.destroy());
    answer.once('close', () => forwarded.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenRunEnds(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    hold(statement) {
      wanted = statement;
      return new Promise((resolve) => (met = resolve));
    },
    release: () => letGo(),
  };
};
