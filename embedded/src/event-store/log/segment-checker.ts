import { Worker } from 'node:worker_threads';
import type { CheckRequest, CheckResponse } from './check-thread.ts';
import type { SegmentCheck } from './scan.ts';

interface PendingCheck {
  readonly resolve: (check: SegmentCheck) => void;
  readonly reject: (error: Error) => void;
}

const idleMs = 2_000;

export class SegmentChecker {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosed = false;
  readonly #pending = new Map<number, PendingCheck>();

  check(
    path: string,
    base: number,
    options: { readonly upTo?: number | undefined; readonly bytesPerSecond?: number } = {},
  ): Promise<SegmentCheck> {
    if (this.#isClosed) return Promise.reject(new Error('the check was stopped'));
    clearTimeout(this.#idle);
    const request: CheckRequest = { id: (this.#lastId += 1), path, base, ...options };
    return new Promise((resolve, reject) => {
      this.#pending.set(request.id, { resolve, reject });
      this.#worker ??= this.#start();
      // While the node starts, the worker may be all that keeps the process alive.
      this.#worker.ref();
      this.#worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./check-thread.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 32 },
    });
    worker.on('message', (response: CheckResponse) => this.#settle(response));
    worker.on('error', (error) => this.#end(worker, error));
    worker.on('exit', () => this.#end(worker, new Error('the check was stopped')));
    return worker;
  }

  #settle(response: CheckResponse): void {
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ('check' in response) pending?.resolve(response.check);
    else pending?.reject(Object.assign(new Error(response.error), { code: response.code }));
    if (this.#pending.size > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    }, idleMs).unref();
  }

  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
