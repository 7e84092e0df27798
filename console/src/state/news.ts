import { signal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

/** What came of what the reader did; said aloud, and gone after a while. */
export const notices = signal<readonly Notice[]>([]);

const lastsMs = { good: 6_000, bad: 15_000 } as const;
let count = 0;

export const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};

export const tell = (tone: Notice['tone'], text: string): void => {
  const id = ++count;
  notices.value = [...notices.value.slice(-3), { id, tone, text }];
  setTimeout(() => dismiss(id), lastsMs[tone]);
};
