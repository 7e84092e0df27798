import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { dismiss, notices } from '../state/news.ts';

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
