import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addCleanUp } from '@popsvc/tools/rig';

/** A disturbance of one direction. */
export interface Disturbance {
  /** Delay of each chunk, ms. */
  readonly delayMs?: number;
  readonly bytesPerSecond?: number;
  /** Nothing passes until `heal`, without an error. The bytes received meanwhile pass then, as with TCP. */
  readonly isBlackHole?: boolean;
  /** Number of bytes of all connections together after which all are cut. */
  readonly cutAfterBytes?: number;
}

export interface Ways {
  readonly there?: Disturbance;
  readonly back?: Disturbance;
}

/** A proxy between a process and a store, on its own port, that disturbs the traffic. */
export interface FaultProxy {
  /** The store's address through it. */
  readonly url: string;
  /** Connections so far. */
  opened(): number;
  /** Sends new connections to another server, whose login is the same. Open ones keep theirs. */
  moveTo(target: string): void;
  /** Applies to open and new connections. */
  disturb(ways: Ways): void;
  /** Breaks the open connections; new ones pass. */
  cut(): void;
  /** Swallows all bytes of the open connections for good, without an error; new ones pass. */
  forget(): void;
  /** Breaks open and new connections until `heal`, as if the store were down. */
  away(): void;
  heal(): void;
  /** Holds back the response to the next HTTP request whose address matches; resolves when the response has arrived, so the change is done. */
  hold(statement: RegExp): Promise<void>;
  /** Passes on the response that is held back. */
  release(): void;
  /** Breaks the connection instead of passing on the response: the client does not know the outcome. */
  cutAnswer(statement: RegExp): Promise<void>;
  close(): Promise<void>;
}

interface Trap {
  readonly statement: RegExp;
  readonly isCut: boolean;
  readonly met: () => void;
}

const addressOf = (chunk: Buffer): string => {
  const [, path = ''] = /^[A-Z]+ (\S+) HTTP\//m.exec(chunk.toString('latin1')) ?? [];
  return decodeURIComponent(path.replaceAll('+', ' '));
};

export const startFaultProxy = async (target: string): Promise<FaultProxy> => {
  const url = new URL(target);
  let { hostname: host, port } = url;
  const pairs = new Set<readonly [Socket, Socket]>();
  let [opened, isAway, ways] = [0, false, {} as Ways];
  const forgotten = new WeakSet<Socket>();
  const passed = { there: 0, back: 0 };
  let trap: Trap | undefined;
  let wake = () => {};
  let changed = new Promise<void>((resolve) => (wake = resolve));
  let free = () => {};

  const change = (to: Ways) => {
    ways = to;
    wake();
    changed = new Promise((resolve) => (wake = resolve));
  };
  const cut = () => {
    for (const sockets of pairs) for (const socket of sockets) socket.resetAndDestroy();
  };

  const cutPair = (...sockets: readonly Socket[]) => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const carry = async (from: Socket, to: Socket, way: keyof Ways, pass: (chunk: Buffer) => Promise<boolean>) => {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (!(await pass(chunk))) {
        cutPair(from, to);
        return;
      }
      if (ways[way]?.delayMs) await sleep(ways[way].delayMs);
      while (ways[way]?.isBlackHole || forgotten.has(from)) await changed;
      passed[way] += chunk.length;
      if (passed[way] > (ways[way]?.cutAfterBytes ?? Infinity)) {
        cut();
        return;
      }
      if (!to.write(chunk) && to.writable) await once(to, 'drain');
      if (ways[way]?.bytesPerSecond) await sleep((chunk.length / ways[way].bytesPerSecond) * 1_000);
    }
    to.end();
  };

  const server = createServer({ allowHalfOpen: true }, (near) => {
    opened += 1;
    if (isAway) return void near.resetAndDestroy();
    const far = connect({ host, port: Number(port), noDelay: true, allowHalfOpen: true });
    near.setNoDelay(true);
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair)
      socket
        .on('error', () => undefined)
        .once('close', () => {
          pairs.delete(pair);
          for (const each of pair) each.destroy();
        });
    let sprung: Trap | undefined;
    const there = (chunk: Buffer) => {
      if (trap?.statement.test(addressOf(chunk))) [sprung, trap] = [trap, undefined];
      return Promise.resolve(true);
    };
    const back = async () => {
      if (sprung === undefined) return true;
      const { isCut, met } = sprung;
      sprung = undefined;
      const freed = new Promise<void>((resolve) => (free = resolve));
      met();
      if (!isCut) await freed;
      return !isCut;
    };
    for (const carried of [carry(near, far, 'there', there), carry(far, near, 'back', back)])
      carried.catch(() => cutPair(near, far));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  const trapped = (statement: RegExp, isCut: boolean) => new Promise<void>((met) => (trap = { statement, isCut, met }));
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  addCleanUp(close);
  return {
    url: url.href.replace(/\/$/, ''),
    opened: () => opened,
    moveTo(other) {
      ({ hostname: host, port } = new URL(other));
    },
    disturb(to) {
      [passed.there, passed.back] = [0, 0];
      change(to);
    },
    cut,
    forget() {
      for (const sockets of pairs) for (const socket of sockets) forgotten.add(socket);
    },
    away() {
      isAway = true;
      cut();
    },
    heal() {
      isAway = false;
      change({});
    },
    hold: (statement) => trapped(statement, false),
    release: () => free(),
    cutAnswer: (statement) => trapped(statement, true),
    close,
  };
};
