import fs from 'node:fs';

const maxOpen = 62;

interface OpenFile {
  readonly fd: number;
  /** Number of running operations. Only `closeAll` closes a file in use. */
  users: number;
}

export class DescriptorCache {
  readonly #flags: 'r' | 'r+';
  readonly #limit: number;
  /** The least recently used first. */
  readonly #open = new Map<string, OpenFile>();
  #waiting: (() => void)[] = [];

  constructor(flags: 'r' | 'r+', limit = maxOpen) {
    this.#flags = flags;
    this.#limit = limit;
  }

  get size(): number {
    return this.#open.size;
  }

  async use<T>(path: string, work: (fd: number) => Promise<T>): Promise<T> {
    let file = this.#find(path);
    while (!file) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      file = this.#find(path);
    }
    file.users += 1;
    try {
      return await work(file.fd);
    } finally {
      file.users -= 1;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const resume of waiting) resume();
    }
  }

  /** Call this before the file is removed, because its path may be reused. A file in use stays open. */
  close(path: string): void {
    const file = this.#open.get(path);
    if (!file || file.users > 0) return;
    this.#open.delete(path);
    fs.closeSync(file.fd);
  }

  closeAll(): void {
    for (const { fd } of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }

  #find(path: string): OpenFile | undefined {
    const known = this.#open.get(path);
    if (known) {
      this.#open.delete(path);
      this.#open.set(path, known);
      return known;
    }
    if (this.#open.size >= this.#limit && !this.#closeIdle()) return undefined;
    const file = { fd: fs.openSync(path, this.#flags), users: 0 };
    this.#open.set(path, file);
    return file;
  }

  #closeIdle(): boolean {
    for (const [path, { fd, users }] of this.#open) {
      if (users > 0) continue;
      this.#open.delete(path);
      fs.closeSync(fd);
      return true;
    }
    return false;
  }
}
