import { signal } from '@preact/signals';
import { IconButton } from './controls.tsx';
import { Icon } from './icon.tsx';

interface Notice {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

const notices = signal<readonly Notice[]>([]);

const displayMs = { good: 6_000, bad: 15_000 } as const;
const maxNotices = 4;
let noticeCount = 0;

const dismiss = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};

export const showNotice = (tone: Notice['tone'], text: string): void => {
  const id = ++noticeCount;
  notices.value = [...notices.value.slice(1 - maxNotices), { id, tone, text }];
  setTimeout(() => dismiss(id), displayMs[tone]);
};

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, tone, text }) => (
      <div key={id} class="notice" data-tone={tone}>
        <Icon name={tone === 'good' ? 'good' : 'failed'} />
        <span>{text}</span>
        <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
);
